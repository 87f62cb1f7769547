// An editor: for each line "NUMBER DELAY_NS STYLE" that it reads, it waits that long, then writes "edit NUMBER" to FILE, by
// a rename or in place, and answers with a line.
// Usage: edit FILE REQUESTS ANSWERS (two FIFOs). Ends with its parent.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void wait_ns(long delay) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < delay);
}

static int save(const char *at, int flags, const char *text) {
  int fd = open(at, O_WRONLY | O_CREAT | flags, 0644);
  if (fd < 0) return 1;
  int failed = write(fd, text, strlen(text)) != (ssize_t)strlen(text);
  return close(fd) | failed;
}

int main(int count, char **names) {
  if (count != 4) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  FILE *requests = fopen(names[2], "r+"), *answers = fopen(names[3], "r+");
  if (requests == NULL || answers == NULL) return 1;
  char beside[4096], text[64];
  snprintf(beside, sizeof beside, "%s~", names[1]);
  long number, delay;
  char style[16];
  while (fscanf(requests, "%ld %ld %15s", &number, &delay, style) == 3) {
    snprintf(text, sizeof text, "edit %08ld\n", number);
    wait_ns(delay);
    int failed;
    if (strcmp(style, "rename") == 0) failed = save(beside, O_TRUNC, text) || rename(beside, names[1]);
    else failed = save(names[1], strcmp(style, "truncate") == 0 ? O_TRUNC : 0, text);
    fputs(failed ? "failed\n" : "saved\n", answers);
    fflush(answers);
  }
  return 0;
}

// Makes each system call of the command line, NUMBER,ARGUMENT,… or "compat", in a separate process, and
// prints a line for each: 0, its errno, or the signal that ended it.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A call by the numbers of the 32-bit architecture.
static long compat(void) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  return result;
#else
  errno = ENOSYS;
  return -1;
#endif
}

static long make_call(char *text) {
  unsigned long words[7] = {0};
  int count = 0;
  if (strcmp(text, "compat") == 0) return compat();
  for (char *word = strtok(text, ","); word != NULL && count < 7; word = strtok(NULL, ","))
    words[count++] = strtoul(word, NULL, 0);
  return syscall((long)words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int status;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) _exit(make_call(argv[i]) < 0 ? errno : 0);
    if (waitpid(child, &status, 0) < 0) return 1;
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
    else printf("%d\n", WEXITSTATUS(status));
  }
  return 0;
}

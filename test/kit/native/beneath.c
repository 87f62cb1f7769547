// Resolves paths that must stay beneath a directory by the kernel (openat2).
// Usage: beneath DIRECTORY < PATHS, each path ended by a NUL. Answers one line per path: "ok DEV INO", or
// the name of the error.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **args) {
  if (count != 2) return 2;
  int root = open(args[1], O_PATH | O_DIRECTORY);
  if (root < 0) return 1;
  struct open_how how = {.flags = O_PATH, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  char *path = NULL;
  size_t size = 0;
  while (getdelim(&path, &size, '\0', stdin) > 0) {
    struct stat found;
    int fd;
    // During any rename on the machine the kernel cannot resolve ".." safely and returns EAGAIN.
    do {
      fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    } while (fd < 0 && errno == EAGAIN);
    if (fd < 0) {
      puts(strerrorname_np(errno));
    } else if (fstat(fd, &found) == 0) {
      printf("ok %lu %lu\n", (unsigned long)found.st_dev, (unsigned long)found.st_ino);
    }
    if (fd >= 0) close(fd);
  }
  return 0;
}

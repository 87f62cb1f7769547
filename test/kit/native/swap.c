// An attacker: exchanges two names repeatedly, until it is killed or its parent is gone.
// Usage: swap NAME OTHER. Prints "ready" after the first exchange.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **names) {
  if (count != 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (renameat2(AT_FDCWD, names[1], AT_FDCWD, names[2], RENAME_EXCHANGE) != 0) {
    perror("swap");
    return 1;
  }
  puts("ready");
  fflush(stdout);
  // A name may be missing for a short time, while the test recreates it.
  for (;;) renameat2(AT_FDCWD, names[1], AT_FDCWD, names[2], RENAME_EXCHANGE);
}

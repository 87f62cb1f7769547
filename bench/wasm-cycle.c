// Makes, writes, reads and removes a file of 4 KiB, 500 times.
#include <stdio.h>
#include <unistd.h>

int main(void) {
  static char block[4096];
  for (int round = 0; round < 500; round++) {
    FILE *file = fopen("/workspace/cycle.bin", "w");
    if (!file || fwrite(block, 1, sizeof block, file) != sizeof block || fclose(file) != 0) return 1;
    file = fopen("/workspace/cycle.bin", "r");
    if (!file || fread(block, 1, sizeof block, file) != sizeof block || fclose(file) != 0) return 2;
    if (unlink("/workspace/cycle.bin") != 0) return 3;
  }
  puts("{}");
}

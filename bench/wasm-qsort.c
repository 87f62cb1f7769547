// The C library's qsort on 400,000 numbers: calls through a table, and branches.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 400000

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static int32_t numbers[COUNT];
  uint32_t next = 1;
  for (int i = 0; i < COUNT; i++) numbers[i] = (int32_t)(next = next * 1664525 + 1013904223);
  qsort(numbers, COUNT, sizeof *numbers, compare);
  printf("%d\n", numbers[COUNT / 2]);
}

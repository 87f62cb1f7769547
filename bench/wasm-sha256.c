// SHA-256 of a MiB of bytes, eight times: rotations and additions in straight lines.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

static uint32_t constants[64];

/** The first 32 bits of the fractional parts of the cube roots of the first primes, by whole numbers. */
static void make_constants(void) {
  int count = 0;
  for (uint32_t n = 2; count < 64; n++) {
    int is_prime = 1;
    for (uint32_t d = 2; d * d <= n; d++)
      if (n % d == 0) is_prime = 0;
    if (!is_prime) continue;
    unsigned __int128 target = (unsigned __int128)n << 96;
    uint64_t root = 0;
    for (int bit = 34; bit >= 0; bit--) {
      uint64_t next = root | (1ull << bit);
      if ((unsigned __int128)next * next * next <= target) root = next;
    }
    constants[count++] = (uint32_t)root;
  }
}

static void mix(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (ROTATE(a, 7) ^ ROTATE(a, 18) ^ (a >> 3)) + (ROTATE(b, 17) ^ ROTATE(b, 19) ^ (b >> 10));
  }
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t one = s[7] + (ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
    uint32_t two = (ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

int main(void) {
  static uint8_t data[1 << 20];
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  make_constants();
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 31);
  for (int round = 0; round < 8; round++)
    for (size_t at = 0; at < sizeof data; at += 64) mix(state, data + at);
  printf("%08x\n", state[0]);
}

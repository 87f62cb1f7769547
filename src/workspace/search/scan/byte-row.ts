// Encodes a sequence of byte sets (a row) for the finder. Each set has one bit; the last set has the highest. The table
// has sixteen bytes of set bits by the lower half of a byte, then sixteen by its upper half. So a few bytes pass that
// are in no set.
import type { ByteSet } from "../regex/first-bytes.ts";

/** The maximum number of sets in a row. */
export const MAX_ROW_LENGTH = 8;
export const ROW_BYTES = 32;
const UPPER = 16;

/** Bytes of source text, from frequent to rare. Bytes that are not listed are rarer still. */
export const FREQUENT = ' etaoinsrlducpmf_g,;)(h.*-=>y\nvb\t0x1/w"TEASCRINDLk2OP';
/** The weight of all other bytes together. */
const RARE = 1;

export function rowTable(sets: readonly ByteSet[]): Buffer {
  const table = Buffer.alloc(ROW_BYTES, bitsBefore(sets.length));
  sets.forEach((set, index) => {
    for (const byte of set.keys()) {
      if (set[byte] === 0) continue;
      table[byte & 15]! |= bitOf(index, sets.length);
      table[UPPER + (byte >> 4)]! |= bitOf(index, sets.length);
    }
  });
  return table;
}

/** The bits below that of the first set. */
export const bitsBefore = (length: number): number => bitOf(0, length) - 1;

const bitOf = (index: number, length: number): number => 1 << (MAX_ROW_LENGTH - length + index);

/** The approximate probability that the bytes at a random place in source text pass. */
export function likelihoodOf(table: Buffer, length: number): number {
  const frequent = [...Buffer.from(FREQUENT)];
  let likelihood = 1;
  for (let index = 0; index < length; index++) {
    const passing = frequent.filter(
      (byte) => table[byte & 15]! & table[UPPER + (byte >> 4)]! & bitOf(index, length),
    );
    likelihood *= Math.max(passing.length, RARE) / (frequent.length + RARE);
  }
  return likelihood;
}

// A row of sets of bytes as the finder wants it: a bit for each set, the last one the highest; sixteen bytes that say by
// the lower half of a byte which sets it may belong to, then sixteen by its upper half. So a few bytes pass that are in
// no set.
import type { ByteSet } from "../regex/first-bytes.ts";

/** The most sets of a row. */
export const MAX_ROW_LENGTH = 8;
export const ROW_BYTES = 32;
const UPPER = 16;

/** From frequent in source text to rare; what is not here is rarer still. */
export const FREQUENT = ' etaoinsrlducpmf_g,;)(h.*-=>y\nvb\t0x1/w"TEASCRINDLk2OP';
/** What all others count together. */
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

/** Those below the first set's. */
export const bitsBefore = (length: number): number => bitOf(0, length) - 1;

const bitOf = (index: number, length: number): number => 1 << (MAX_ROW_LENGTH - length + index);

/** How likely it is, about, that bytes at any place in source text pass. */
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

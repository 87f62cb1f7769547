// The WebAssembly memory in which files are searched: first the needles and rows, then a window of the file, then
// padding for the finder's reads past the end.

import type { ByteSet } from "../regex/first-bytes.ts";
import { bitsBefore, FREQUENT, likelihoodOf, MAX_ROW_LENGTH, ROW_BYTES, rowTable } from "./byte-row.ts";
import { FINDER_WASM } from "./finder.gen.ts";
import { createWord, findLinear, type Word } from "./kmp.ts";

/** Node has it, but its types do not declare it. */
declare const WebAssembly: {
  readonly Memory: new (options: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (code: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 64 * 1024;
/** The part of a file that is searched at once. A longer line is searched in pieces. */
export const WINDOW_BYTES = 1024 * 1024;
export const WINDOW_START = 4 * PAGE_BYTES;
/** The maximum cost of failed comparisons for each searched byte. Above it, the needle is too hard for the finder. */
const PATIENCE = 8;
const TOO_HARD = -2;
const NEWLINE = 0x0a;

/** A literal to find: the place of its bytes, and the indexes of its two rarest bytes. */
export interface Needle {
  readonly start: number;
  readonly length: number;
  readonly first: number;
  readonly second: number;
  /** Null until it proves too hard for the finder. */
  hard: Word | null;
}

/** Consecutive byte sets to find, and the probability that a random place passes. */
export interface ByteRow {
  readonly start: number;
  readonly length: number;
  readonly likelihood: number;
}

export interface ScanMemory {
  readonly bytes: Buffer;
  /** Drops all needles and rows. */
  clear(): void;
  /** Stores a literal to find; null if it does not fit. With `ignoreCase`, lower-case letters match both cases. */
  needle(literal: Buffer, ignoreCase: boolean): Needle | null;
  /** The first place of the needle in [from, to), or -1. */
  find(needle: Needle, from: number, to: number): number;
  /** The sets of bytes with which the needles begin. */
  firstBytes(needles: readonly Needle[]): readonly ByteSet[];
  /** Stores at most `MAX_ROW_LENGTH` sets of bytes; null if there are none, or they do not fit. */
  row(sets: readonly ByteSet[]): ByteRow | null;
  /** The first place in [from, to) whose bytes pass the row's sets, possibly a false positive; -1 if there is none. */
  findRow(row: ByteRow, from: number, to: number): number;
  /** The place of the first NUL in [from, to), or -1. */
  findNul(from: number, to: number): number;
  countNewlines(from: number, to: number): number;
  /** The start of the line that contains `at`, no earlier than `from`. */
  lineStart(at: number, from: number): number;
  /** The end of the line that contains `at`, no later than `to`. */
  lineEnd(at: number, to: number): number;
}

interface FinderExports {
  find(
    from: number,
    to: number,
    needle: number,
    length: number,
    first: number,
    second: number,
    patience: number,
  ): number;
  findSets(from: number, to: number, sets: number, count: number, before: number): number;
  findNul(from: number, to: number): number;
  countNewlines(from: number, to: number): number;
}

export function createScanMemory(): ScanMemory {
  const memory = new WebAssembly.Memory({ initial: (WINDOW_START + WINDOW_BYTES) / PAGE_BYTES + 1 });
  const code = new WebAssembly.Module(Buffer.from(FINDER_WASM, "base64"));
  const { exports } = new WebAssembly.Instance(code, { search: { memory } });
  const { find, findSets, findNul, countNewlines } = exports as FinderExports;
  const bytes = Buffer.from(memory.buffer);
  // Stops a backward search for the start of a line at the window.
  bytes[WINDOW_START - 1] = NEWLINE;
  let used = 0;
  return {
    bytes,
    clear() {
      used = 0;
    },
    needle(literal, ignoreCase) {
      const { length } = literal;
      const start = used;
      if (length === 0 || start + 2 * length >= WINDOW_START) return null;
      literal.copy(bytes, start);
      foldOf(literal, ignoreCase).copy(bytes, start + length);
      used += 2 * length;
      return { start, length, ...rarestTwo(literal), hard: null };
    },
    find(needle, from, to) {
      const { start, length, first, second } = needle;
      if (needle.hard === null) {
        const found = find(from, to, start, length, first, second, (to - from) * PATIENCE + PAGE_BYTES);
        if (found !== TOO_HARD) return found;
        const middle = start + length;
        needle.hard = createWord(bytes.subarray(start, middle), bytes.subarray(middle, middle + length));
      }
      return findLinear(bytes, needle.hard, from, to);
    },
    firstBytes(needles) {
      const length = Math.min(MAX_ROW_LENGTH, ...needles.map((needle) => needle.length));
      return Array.from({ length }, (_, at) => bytesAt(bytes, needles, at));
    },
    row(sets) {
      const start = used;
      if (sets.length === 0 || start + ROW_BYTES >= WINDOW_START) return null;
      used += ROW_BYTES;
      const table = rowTable(sets);
      table.copy(bytes, start);
      return { start, length: sets.length, likelihood: likelihoodOf(table, sets.length) };
    },
    findRow: ({ start, length }, from, to) => findSets(from, to, start, length, bitsBefore(length)),
    findNul,
    countNewlines,
    lineStart(at, from) {
      const before = at > from ? bytes.lastIndexOf(NEWLINE, at - 1) : -1;
      return Math.max(before + 1, from);
    },
    lineEnd(at, to) {
      const end = bytes.indexOf(NEWLINE, at);
      return end < 0 || end > to ? to : end;
    },
  };
}

function bytesAt(bytes: Buffer, needles: readonly Needle[], at: number): ByteSet {
  const set = new Uint8Array(256);
  for (const { start, length } of needles) {
    const letter = bytes[start + at]!;
    set[letter] = 1;
    set[letter ^ bytes[start + length + at]!] = 1;
  }
  return set;
}

function foldOf(literal: Buffer, ignoreCase: boolean): Buffer {
  return Buffer.from(Array.from(literal, (byte) => (ignoreCase && isSmall(byte) ? 0x20 : 0)));
}

const isSmall = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;

function rarestTwo(literal: Buffer): { first: number; second: number } {
  const places = Array.from(literal, (byte, at) => ({
    at,
    rank: FREQUENT.indexOf(String.fromCharCode(byte)),
  }));
  places.sort((a, b) => frequency(a.rank) - frequency(b.rank));
  return { first: places[0]!.at, second: (places[1] ?? places[0]!).at };
}

const frequency = (rank: number): number => (rank < 0 ? 0 : FREQUENT.length - rank);

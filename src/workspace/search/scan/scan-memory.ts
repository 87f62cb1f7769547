// The memory that files are read into and searched in: first what is looked for, then a window on a file, then
// room for the finder to read behind its end.

import type { ByteSet } from "../regex/first-bytes.ts";
import { bitsBefore, FREQUENT, likelihoodOf, MAX_ROW_LENGTH, ROW_BYTES, rowTable } from "./byte-row.ts";
import { FINDER_WASM } from "./finder.gen.ts";
import { createWord, findPatiently, type Word } from "./kmp.ts";

/** Node has it; its types don't tell. */
declare const WebAssembly: {
  readonly Memory: new (options: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (code: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 64 * 1024;
/** How much of a file is looked at together; a longer line is searched in pieces. */
export const WINDOW_BYTES = 1024 * 1024;
export const WINDOW_START = 4 * PAGE_BYTES;
/** Comparisons that fail may cost so much for each byte that is searched: beyond it a needle is hard to find this way. */
const PATIENCE = 8;
const TOO_HARD = -2;
const NEWLINE = 0x0a;

/** What is looked for: where its bytes are, and which two of them are rare. */
export interface Needle {
  readonly start: number;
  readonly length: number;
  readonly first: number;
  readonly second: number;
  /** Null until it turned out to be too hard for the finder. */
  hard: Word | null;
}

/** Sets of bytes that are looked for one behind the other, and how likely some stand at any place. */
export interface ByteRow {
  readonly start: number;
  readonly length: number;
  readonly likelihood: number;
}

export interface ScanMemory {
  readonly bytes: Buffer;
  /** Forgets all needles and rows. */
  clear(): void;
  /** Puts down what is to be looked for; null when there is no room for it. With `ignoreCase` small letters mean both cases. */
  needle(literal: Buffer, ignoreCase: boolean): Needle | null;
  /** Where the needle first is in [from, to), or -1. */
  find(needle: Needle, from: number, to: number): number;
  /** The sets of bytes that the needles begin with. */
  firstBytes(needles: readonly Needle[]): readonly ByteSet[];
  /** Puts down sets of bytes, not more than `MAX_ROW_LENGTH`; null when there are none, or no room. */
  row(sets: readonly ByteSet[]): ByteRow | null;
  /** Where bytes of the row's sets, or some that are like them, first stand in [from, to); -1 when they don't. */
  findRow(row: ByteRow, from: number, to: number): number;
  /** Where the first NUL is in [from, to), or -1. */
  findNul(from: number, to: number): number;
  countNewlines(from: number, to: number): number;
  /** Where the line begins that `at` is in, no earlier than `from`. */
  lineStart(at: number, from: number): number;
  /** Where the line ends that `at` is in, no later than `to`. */
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
  // So that nothing looks for the beginning of a line before the window.
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
      return findPatiently(bytes, needle.hard, from, to);
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

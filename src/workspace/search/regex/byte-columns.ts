import { BYTES, type Nfa } from "./nfa.ts";

/** Bytes that every state treats alike share a column of the table. */
export interface ByteColumns {
  readonly columnOf: Uint8Array;
  /** One byte of each column. */
  readonly samples: readonly number[];
}

export const LF = 0x0a;
export const CR = 0x0d;

export function byteColumns({ states }: Nfa): ByteColumns {
  const cuts = new Uint8Array(257);
  const cutOut = (from: number, to: number) => {
    cuts[from] = 1;
    cuts[to + 1] = 1;
  };
  for (const { kind, arcs } of states) {
    if (kind === BYTES) for (const { from, to } of arcs) cutOut(from, to);
  }
  for (const [from, to] of TOLD_APART) cutOut(from, to);
  return columnsFrom(cuts);
}

/** Line ends, word bytes for `\b`, and bytes that cannot begin a character. */
const TOLD_APART = [
  [LF, LF],
  [CR, CR],
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
  [0x80, 0xbf],
] as const;

function columnsFrom(cuts: Uint8Array): ByteColumns {
  const columnOf = new Uint8Array(256);
  const samples: number[] = [0];
  for (let byte = 1; byte < 256; byte++) {
    if (cuts[byte] === 1) samples.push(byte);
    columnOf[byte] = samples.length - 1;
  }
  return { columnOf, samples };
}

export function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f
  );
}

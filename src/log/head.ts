import type { Line } from "./lines.ts";
import { checkRecord, continues, GENESIS, type Link } from "./record.ts";

/** A position in the log: the first seq of a file, and an offset in that file. */
export interface LogPosition {
  readonly firstSeq: number;
  readonly bytes: number;
}

/** The last record, and the position where it ends. */
export interface LogHead extends Link, LogPosition {
  /** The number of intents without an outcome. */
  readonly open: number;
  /** A position at or before the first of them; null if there is none. */
  readonly openSince: LogPosition | null;
}

export const EMPTY_HEAD: LogHead = { ...GENESIS, firstSeq: 1, bytes: 0, open: 0, openSince: null };

/** The head after one more record of `bytes` bytes, which opens a call (+1), ends one (-1), or neither (0). */
export function advanceHead(head: LogHead, { seq, hash }: Link, bytes: number, opened: number): LogHead {
  const { firstSeq } = head;
  const open = Math.max(0, head.open + opened);
  const openSince = open === 0 ? null : (head.openSince ?? { firstSeq, bytes: head.bytes });
  return { seq, hash, firstSeq, bytes: head.bytes + bytes, open, openSince };
}

/** Returns 1 if a record opens a call and -1 if it ends one: a record that ends a call names its intent. */
export function openCallsDelta(kind: string, fields: Readonly<Record<string, unknown>>): number {
  if (kind === "tool.intent") return 1;
  return fields.intent === undefined ? 0 : -1;
}

/** The head after one more line, with the kind of its record; undefined if the line does not continue the hash chain. */
export function advanceByLine(
  head: LogHead,
  { bytes, complete }: Line,
): { head: LogHead; kind: string } | undefined {
  const record = complete ? checkRecord(bytes) : undefined;
  if (record === undefined || !continues(record, head)) return undefined;
  const { kind } = record;
  return { head: advanceHead(head, record, bytes.length + 1, openCallsDelta(kind, record)), kind };
}

/** The head at the start of a new file after rotation. */
export function headOfNewFile(head: LogHead): LogHead {
  return { ...head, firstSeq: head.seq + 1, bytes: 0 };
}

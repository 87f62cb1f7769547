import type { Line } from "./lines.ts";
import { checkRecord, continues, GENESIS, type Link } from "./record.ts";

/** A place in the log: the first seq of a file, and an offset in it. */
export interface LogPosition {
  readonly firstSeq: number;
  readonly bytes: number;
}

/** The last record, and the place where it ends. */
export interface LogHead extends Link, LogPosition {
  /** Intents without an outcome yet. */
  readonly open: number;
  /** Where the first of them may stand; null when there is none. */
  readonly openSince: LogPosition | null;
}

export const EMPTY_HEAD: LogHead = { ...GENESIS, firstSeq: 1, bytes: 0, open: 0, openSince: null };

/** The head after one more record of so many bytes, which opens calls (+1) or ends them (-1). */
export function advanceHead(head: LogHead, { seq, hash }: Link, bytes: number, opened: number): LogHead {
  const { firstSeq } = head;
  const open = Math.max(0, head.open + opened);
  const openSince = open === 0 ? null : (head.openSince ?? { firstSeq, bytes: head.bytes });
  return { seq, hash, firstSeq, bytes: head.bytes + bytes, open, openSince };
}

/** Whether a record opens a call or ends one: what ends a call names its intent. */
export function callsOpened(kind: string, fields: Readonly<Record<string, unknown>>): number {
  if (kind === "tool.intent") return 1;
  return fields.intent === undefined ? 0 : -1;
}

/** The head after one more line of the log and the kind of its record, or undefined when the line does not continue it. */
export function follow(
  head: LogHead,
  { bytes, complete }: Line,
): { head: LogHead; kind: string } | undefined {
  const record = complete ? checkRecord(bytes) : undefined;
  if (record === undefined || !continues(record, head)) return undefined;
  const { kind } = record;
  return { head: advanceHead(head, record, bytes.length + 1, callsOpened(kind, record)), kind };
}

/** The head at the start of the file that follows a full one. */
export function startFile(head: LogHead): LogHead {
  return { ...head, firstSeq: head.seq + 1, bytes: 0 };
}

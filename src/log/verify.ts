// Verifies a whole log: every record is unchanged and in its place, and none is missing, up to the anchored head.
import { basename } from "node:path";
import { tokenIsAlive } from "../core/process-token.ts";
import { type Anchor, isAnchorUnfinished } from "./anchor.ts";
import { type LogLine, openLogFiles, readFiles, START } from "./read.ts";
import { checkRecord, GENESIS, type Link, type LogRecord, parseRecord } from "./record.ts";
import { openSnapshot } from "./snapshot.ts";

export type LogProblem = "edited" | "removed" | "reordered" | "truncated" | "unanchored";

export interface IntactLog {
  readonly ok: true;
  readonly records: number;
  readonly head: Link;
  /** False if no anchor was given. Then a cut end cannot be detected. */
  readonly anchored: boolean;
  /** Bytes of an unfinished last line. It is being written, or a killed process left it; the next open cuts it off. */
  readonly tornBytes: number;
  /** Records that were missing after a restart, as the log reports: a power failure or somebody removed them. */
  readonly lost: number;
  /** Unanchored records that were present after a restart: a power failure left the anchor old, or they are forged. */
  readonly adopted: number;
  readonly unknown: readonly UnknownOutcome[];
}

export interface BrokenLog {
  readonly ok: false;
  readonly problem: LogProblem;
  /** The first record that is wrong or in the wrong place. */
  readonly seq: number;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A call with a recorded intent but no recorded outcome. */
export interface UnknownOutcome {
  readonly seq: number;
  readonly toolCallId: string;
  readonly toolName: string;
  /** Whether the process that began the call is still alive. */
  readonly running: boolean;
}

export type Verification = IntactLog | BrokenLog;

/** `logFile` is the current file. Without an anchor, everything is checked except whether the end is missing. */
export function verifyLog(logFile: string, anchorFile: string | null): Verification {
  const { anchor, files } =
    anchorFile === null
      ? { anchor: null, files: openLogFiles(logFile, START.firstSeq) }
      : openSnapshot(logFile, anchorFile);
  const lines = readFiles(files, logFile, START.bytes);
  const tally = createTally();
  // Later records do not count.
  const anchored = anchor?.seq ?? Number.POSITIVE_INFINITY;
  let head: Link = GENESIS;
  let last: LogLine | undefined;
  let tornBytes = 0;
  for (const line of lines) {
    if (last?.complete === false) return edited(head, last);
    last = line;
    if (!line.complete || head.seq >= anchored) tornBytes += line.bytes.length + Number(line.complete);
    if (!line.complete) continue;
    const record = checkRecord(line.bytes);
    if (record === undefined) return edited(head, line);
    if (record.seq !== head.seq + 1) return misplaced(head, record, line, lines);
    if (record.prev !== head.hash) return rewritten(head, line);
    if (record.seq === anchor?.seq && record.hash !== anchor.hash) return rewritten(record, line);
    if (record.seq <= anchored) tally.add(record);
    head = { seq: record.seq, hash: record.hash };
  }
  const end = { file: last?.file ?? basename(logFile), line: last?.line ?? 0 };
  if (anchor === undefined && head.seq > 0) return unanchored(head, end);
  if (anchor && anchor.seq > head.seq) return truncated(head, anchor, end);
  if (anchor && head.seq > anchor.seq && !isAnchorUnfinished(anchor, head)) return beyond(head, anchor, end);
  const { seq, hash } = anchor ?? head;
  const known = { records: seq, head: { seq, hash }, anchored: anchor !== null };
  return { ok: true, ...known, tornBytes, ...tally.result() };
}

/** Collects the calls without an outcome, and the records that restarts lost or adopted. */
function createTally() {
  const open = new Map<number, LogRecord>();
  const interrupted = new Set<number>();
  let lost = 0;
  let adopted = 0;
  return {
    add(record: LogRecord): void {
      const { kind, seq, intent = 0 } = record;
      if (kind === "tool.intent") open.set(seq, record);
      else if (kind === "tool.interrupted") interrupted.add(intent);
      else if (kind === "tool.exec") open.delete(intent);
      lost += record.lost ?? 0;
      adopted += record.adopted ?? 0;
    },
    result: () => ({
      lost,
      adopted,
      unknown: [...open.values()].map((intent) => describe(intent, interrupted)),
    }),
  };
}

function describe(
  { seq, toolCallId = "", toolName = "", writer = "" }: LogRecord,
  interrupted: Set<number>,
): UnknownOutcome {
  return { seq, toolCallId, toolName, running: !interrupted.has(seq) && tokenIsAlive(writer) };
}

interface LogLocation {
  readonly file: string;
  readonly line: number;
}

function broken(problem: LogProblem, seq: number, { file, line }: LogLocation, message: string): BrokenLog {
  return { ok: false, problem, seq, file, line, message };
}

function edited(head: Link, location: LogLocation): BrokenLog {
  const seq = head.seq + 1;
  return broken(
    "edited",
    seq,
    location,
    `Record ${seq} was changed: it is not a record, or its hash does not match its bytes.`,
  );
}

function rewritten({ seq }: Link, location: LogLocation): BrokenLog {
  const first = Math.max(seq, 1);
  return broken(
    "edited",
    first,
    location,
    `Record ${first} was rewritten: the next record refers to another hash.`,
  );
}

/** The record has an unexpected number: the expected record comes later, is missing, or exists twice. */
function misplaced(head: Link, found: LogRecord, location: LogLocation, rest: Iterable<LogLine>): BrokenLog {
  const seq = head.seq + 1;
  const place = `record ${found.seq} is at the position of record ${seq}`;
  if (found.seq < seq) return broken("reordered", seq, location, `Records were moved or repeated: ${place}.`);
  for (const line of rest)
    if (parseRecord(line.bytes)?.seq === seq)
      return broken("reordered", seq, location, `Records were moved: ${place}.`);
  return broken("removed", seq, location, `Records were removed: ${place}.`);
}

function truncated(head: Link, anchor: Anchor, location: LogLocation): BrokenLog {
  const message = `The end was cut off: the log ends with record ${head.seq}, but its anchor names record ${anchor.seq}.`;
  return broken("truncated", head.seq + 1, location, message);
}

function unanchored(head: Link, location: LogLocation): BrokenLog {
  const message = `The anchor is missing or cannot be read, so record ${head.seq} may not be the last one.`;
  return broken("unanchored", head.seq, location, message);
}

function beyond(head: Link, anchor: Anchor, location: LogLocation): BrokenLog {
  const first = anchor.seq + 1;
  const message = `The log ends with record ${head.seq}, but its anchor names record ${anchor.seq}. Later records may be forged.`;
  return broken("unanchored", first, location, message);
}

// The table `tool_calls`: one row for each call, from the log of the session. The log has no secrets and no long texts,
// so the table has none either.
import { isJsonObject, type Json } from "../../core/json.ts";
import { makeVisible } from "../../core/quote.ts";
import { readAnchorFile } from "../../log/anchor.ts";
import type { LogPosition } from "../../log/head.ts";
import { readLogLines, START } from "../../log/read.ts";
import { type LogRecord, parseRecord } from "../../log/record.ts";
import type { RunPaths } from "../../log/runs.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import type { SqlDatabase } from "./driver.ts";
import { integerColumn } from "./untrusted-rows.ts";

/** How much of the log the table has. */
export interface CallsPosition extends LogPosition {
  /** The last record. */
  readonly seq: number;
  /** The rows of calls without an outcome, by the records in which they began. */
  readonly open: readonly (readonly [intent: number, row: number])[];
}

export const NO_CALLS: CallsPosition = { ...START, seq: 0, open: [] };

/**
 * Adds the calls that the log has beyond the position, and completes those that ended since. Returns the new position. A
 * record after the anchored one may be cut off when the log is opened next, so it does not count.
 */
export function* writeToolCalls(
  db: SqlDatabase,
  { logFile, anchorFile }: Pick<RunPaths, "logFile" | "anchorFile">,
  from: CallsPosition,
): Cooperative<CallsPosition> {
  const last = readAnchorFile(anchorFile)?.seq ?? Number.POSITIVE_INFINITY;
  const rows = openRows(db);
  const open = new Map(from.open);
  let { firstSeq, bytes, seq } = isThere(logFile, from) ? from : { ...from, ...START };
  for (const line of readLogLines(logFile, { firstSeq, bytes })) {
    yield;
    // A line without an end is being written now.
    if (!line.complete) break;
    const record = parseRecord(line.bytes);
    if (record !== undefined && record.seq > last) break;
    if (line.offset === 0 && record !== undefined) firstSeq = record.seq;
    bytes = line.offset + line.bytes.length + 1;
    if (record === undefined || record.seq <= seq) continue;
    seq = record.seq;
    if (record.kind === "tool.intent") open.set(seq, rows.begin(record, Date.parse(record.ts)));
    if (record.kind !== "tool.exec" && record.kind !== "tool.interrupted") continue;
    rows.end(record, open.get(record.intent ?? 0));
    open.delete(record.intent ?? 0);
  }
  return { firstSeq, bytes, seq, open: [...open] };
}

/** Whether the log still has the file of a position: old files may be pruned. */
function isThere(logFile: string, { firstSeq }: LogPosition): boolean {
  for (const { bytes } of readLogLines(logFile, { firstSeq, bytes: 0 }))
    return parseRecord(bytes)?.seq === firstSeq;
  return false;
}

function openRows(db: SqlDatabase) {
  const insert = db.prepare(
    `INSERT INTO tool_calls (name, parameters, status, started_at) VALUES (?, ?, 'pending', ?) RETURNING ${integerColumn("id")} AS id`,
  );
  const complete = db.prepare(
    "UPDATE tool_calls SET result = ?, error = ?, status = ?, completed_at = ?, duration_ms = ? WHERE id = ?",
  );
  const begin = ({ toolName = "?", input }: LogRecord, startedMs: number): number => {
    const row = insert.get(makeVisible(toolName), jsonText(input), secondsOf(startedMs));
    // Somebody may have used the largest number: then the row stays as it is.
    return (row!.id as number | null) ?? 0;
  };
  return {
    /** Returns the number of the row. */
    begin,
    /** Without a row the call was refused: the log has no record of its start. */
    end(record: LogRecord, row: number | undefined) {
      const endedMs = Date.parse(record.ts);
      const durationMs = typeof record.durationMs === "number" ? Math.round(record.durationMs) : null;
      const error = errorOf(record);
      complete.run(
        error === null ? jsonText(record.output) : null,
        error,
        error === null ? "success" : "error",
        secondsOf(endedMs),
        durationMs,
        row ?? begin(record, endedMs - (durationMs ?? 0)),
      );
    },
  };
}

const jsonText = (value: Json | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

/** Null for a call that succeeded. */
function errorOf({ kind, outcome, why, output }: LogRecord): string | null {
  if (kind === "tool.interrupted") return "interrupted: hotcell ended before the call did";
  if (outcome === "executed_ok") return null;
  const failure = isJsonObject(output) && isJsonObject(output.error) ? output.error : {};
  const { code = why ?? outcome ?? null, message = null } = failure;
  return makeVisible([code, loggedText(message)].filter((part) => typeof part === "string").join(": "));
}

/** The log has only the beginning of a long text. */
function loggedText(value: Json): Json {
  return isJsonObject(value) && typeof value.preview === "string" ? `${value.preview} …` : value;
}

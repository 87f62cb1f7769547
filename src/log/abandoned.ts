import type { LogHead } from "./head.ts";
import { readLogLines } from "./read.ts";
import { type LogRecord, parseRecord } from "./record.ts";

/** The intents without an outcome, for a new owner of the log: the owner that wrote them can no longer record one. */
export function findAbandoned(logFile: string, { openSince }: LogHead): LogRecord[] {
  if (openSince === null) return [];
  const open = new Map<number, LogRecord>();
  for (const { bytes } of readLogLines(logFile, openSince)) {
    const record = parseRecord(bytes);
    if (record?.kind === "tool.intent") open.set(record.seq, record);
    else if (record?.intent !== undefined) open.delete(record.intent);
  }
  return [...open.values()];
}

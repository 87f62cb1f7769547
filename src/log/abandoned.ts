import type { LogHead } from "./head.ts";
import { readLogLines } from "./read.ts";
import { type LogRecord, parseRecord } from "./record.ts";

/** Finds the intents without an outcome. The owner that wrote them can no longer record one, so a new owner does. */
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

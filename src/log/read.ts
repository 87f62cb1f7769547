import { closeSync, constants, fstatSync, lstatSync } from "node:fs";
import { basename } from "node:path";
import type { Place } from "./head.ts";
import { type Line, readLines } from "./lines.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, openRegular, rotatedFiles } from "./log-file.ts";
import { type LogRecord, parseRecord } from "./record.ts";

export interface LogEntry {
  /** The file's name, and the line's number in it. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Null for a line that is no record at all; whether the others are genuine is for `verifyLog` to say. */
  readonly record: LogRecord | null;
}

/** What a log says, line by line, over all its files. `logFile` is the one that grows. */
export function* readLog(logFile: string): Generator<LogEntry> {
  for (const { file, line, bytes } of readLogLines(logFile, START))
    yield { file, line, text: bytes.toString(), record: parseRecord(bytes) ?? null };
}

export interface LogLine extends Line {
  readonly file: string;
  /** Counted from where reading began in the file. */
  readonly line: number;
}

export const START: Place = { firstSeq: 0, bytes: 0 };

/** The lines of all files from a place on, without a lock: other processes may append and rotate meanwhile. */
export function* readLogLines(logFile: string, from: Place): Generator<LogLine> {
  // The growing file is opened before the others are listed: rotated in between, it is listed as well,
  // and left out there; the other way round its records would be missed.
  const current = failClosed(logFile, () => openIfThere(logFile, constants.O_RDONLY));
  try {
    let offset = from.bytes;
    for (const full of fullFilesBefore(current, logFile, from.firstSeq)) {
      yield* readFull(full, offset);
      offset = 0;
    }
    if (current !== undefined) yield* numberLines(current, basename(logFile), offset);
  } finally {
    if (current !== undefined) closeSync(current);
  }
}

function fullFilesBefore(current: number | undefined, logFile: string, fromSeq: number): string[] {
  const files = rotatedFiles(logFile, fromSeq);
  if (current === undefined) return files;
  const { ino, dev } = fstatSync(current);
  const rotatedNow = files.findIndex((file) => {
    const found = lstatSync(file);
    return found.ino === ino && found.dev === dev;
  });
  return rotatedNow < 0 ? files : files.slice(0, rotatedNow);
}

function* readFull(file: string, offset: number): Generator<LogLine> {
  const fd = failClosed(file, () => openRegular(file, constants.O_RDONLY));
  try {
    yield* numberLines(fd, basename(file), offset);
  } finally {
    closeSync(fd);
  }
}

function* numberLines(fd: number, file: string, offset: number): Generator<LogLine> {
  let number = 0;
  for (const line of readLines(fd, offset)) yield { ...line, file, line: ++number };
}

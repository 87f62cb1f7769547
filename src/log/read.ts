import { closeSync, constants, fstatSync, lstatSync } from "node:fs";
import { basename } from "node:path";
import type { LogPosition } from "./head.ts";
import { type Line, readRawLines } from "./lines.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, openLogFile, rotatedFiles } from "./log-file.ts";
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

export const START: LogPosition = { firstSeq: 0, bytes: 0 };

/** The files of a log as they are at one moment, whatever other processes append and rotate afterwards. */
export interface LogFiles {
  /** The full ones, oldest first. */
  readonly full: readonly string[];
  /** The one that grows: open, or null when there is none. */
  readonly growing: number | null;
  readonly growingBytes: number;
}

/** Those from the file on that begins with a seq. Without a lock: who only reads may not be able to take it. */
export function openLogFiles(logFile: string, fromSeq: number): LogFiles {
  // The growing file is opened before the others are listed: rotated in between, it is listed as well,
  // and left out there; the other way round its records would be missed.
  const growing = failClosed(logFile, () => openIfThere(logFile, constants.O_RDONLY));
  const full = rotatedFiles(logFile, fromSeq);
  if (growing === undefined) return { full, growing: null, growingBytes: 0 };
  const { ino, dev, size } = fstatSync(growing);
  const rotatedNow = full.findIndex((file) => {
    const found = lstatSync(file);
    return found.ino === ino && found.dev === dev;
  });
  return { full: rotatedNow < 0 ? full : full.slice(0, rotatedNow), growing, growingBytes: size };
}

/** The lines of all files from a place on. */
export function readLogLines(logFile: string, from: LogPosition): Generator<LogLine> {
  return readFiles(openLogFiles(logFile, from.firstSeq), logFile, from.bytes);
}

/** The lines of open files, from an offset of the first one on; they are closed at the end. */
export function* readFiles(files: LogFiles, logFile: string, offset: number): Generator<LogLine> {
  const { full, growing, growingBytes } = files;
  try {
    let from = offset;
    for (const file of full) {
      yield* readFull(file, from);
      from = 0;
    }
    if (growing !== null) yield* numberLines(readRawLines(growing, from, growingBytes), basename(logFile));
  } finally {
    closeLogFiles(files);
  }
}

export function closeLogFiles({ growing }: LogFiles): void {
  if (growing !== null) closeSync(growing);
}

function* readFull(file: string, offset: number): Generator<LogLine> {
  const fd = failClosed(file, () => openLogFile(file, constants.O_RDONLY));
  try {
    yield* numberLines(readRawLines(fd, offset), basename(file));
  } finally {
    closeSync(fd);
  }
}

function* numberLines(lines: Iterable<Line>, file: string): Generator<LogLine> {
  let number = 0;
  for (const line of lines) yield { ...line, file, line: ++number };
}

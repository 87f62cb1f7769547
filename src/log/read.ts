import { closeSync, constants, fstatSync, lstatSync } from "node:fs";
import { basename } from "node:path";
import type { LogPosition } from "./head.ts";
import { type Line, readRawLines } from "./lines.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, openLogFile, rotatedFiles } from "./log-file.ts";
import { type LogRecord, parseRecord } from "./record.ts";

export interface LogEntry {
  /** The file's name and the line's number in it. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Null for a line that is not a record. Only `verifyLog` checks whether a record is genuine. */
  readonly record: LogRecord | null;
}

/** Reads a log line by line over all its files. `logFile` is the current file. */
export function* readLog(logFile: string): Generator<LogEntry> {
  for (const { file, line, bytes } of readLogLines(logFile, START))
    yield { file, line, text: bytes.toString(), record: parseRecord(bytes) ?? null };
}

export interface LogLine extends Line {
  readonly file: string;
  /** Counted from the position where reading began. */
  readonly line: number;
}

export const START: LogPosition = { firstSeq: 0, bytes: 0 };

/** The files of a log at one moment, unaffected by later appends and rotations. */
export interface LogFiles {
  /** The rotated files, oldest first. */
  readonly full: readonly string[];
  /** A descriptor of the current file; null if there is none. */
  readonly growing: number | null;
  readonly growingBytes: number;
}

/** Opens the file that begins with `fromSeq` and all later ones. No lock: a reader may lack the rights for it. */
export function openLogFiles(logFile: string, fromSeq: number): LogFiles {
  // Opens the current file before listing the others. If it is rotated in between, it is also listed, and is dropped
  // from the list. In the other order its records would be missed.
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

/** Reads the lines of all files from a position on. */
export function readLogLines(logFile: string, from: LogPosition): Generator<LogLine> {
  return readFiles(openLogFiles(logFile, from.firstSeq), logFile, from.bytes);
}

/** Reads the lines of open files from an offset in the first one, and closes the files at the end. */
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

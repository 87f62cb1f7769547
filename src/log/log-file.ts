// The files of one log: `execution.jsonl` is the current one; rotated files have the seq of their first record in the name.
import { constants, lstatSync, mkdirSync, readdirSync, readSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { osErrorCode } from "../core/errors.ts";
import { openRegularFile } from "../core/open-regular-file.ts";
import { logUnavailable } from "./log-error.ts";
import { SEAL_BYTES, sealText } from "./record.ts";

/** Opens only a regular file. It follows no link and does not block on a FIFO or a device. */
export function openLogFile(file: string, flags: number): number {
  const opened = openRegularFile(file, flags | constants.O_NOFOLLOW);
  if (opened !== null) return opened.fd;
  throw logUnavailable(file, `"${basename(file)}" is not a regular file`);
}

export function openIfThere(file: string, flags: number): number | undefined {
  try {
    return openLogFile(file, flags);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function makeLogDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!lstatSync(dir).isDirectory()) throw logUnavailable(dir, `"${basename(dir)}" is not a directory`);
}

/** Writes with one system call. If a full disk cuts the write short, it throws, and the caller has to truncate. */
export function writeWhole(fd: number, bytes: Uint8Array, position: number | null): void {
  if (writeSync(fd, bytes, 0, bytes.length, position) < bytes.length) throw new Error("the disk is full");
}

/** The name of a file after rotation. */
export function rotatedFile(file: string, firstSeq: number): string {
  return join(dirname(file), `execution.${String(firstSeq).padStart(16, "0")}.jsonl`);
}

/** The rotated files whose first seq is at least `fromSeq`, oldest first. */
export function rotatedFiles(file: string, fromSeq: number): string[] {
  const from = basename(rotatedFile(file, fromSeq));
  return logNamesIn(dirname(file))
    .filter((name) => /^execution\.\d{16}\.jsonl$/.test(name) && name >= from)
    .sort()
    .map((name) => join(dirname(file), name));
}

/** The names in a directory; none if it does not exist. */
export function logNamesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Whether a record with this hash ends at this offset of the file. */
export function sealedAt(fd: number, offset: number, hash: string): boolean {
  if (offset === 0) return true;
  const end = Buffer.from(`${sealText(hash)}\n`);
  const found = Buffer.alloc(end.length);
  return (
    offset > SEAL_BYTES &&
    readSync(fd, found, 0, end.length, offset - end.length) === end.length &&
    found.equals(end)
  );
}

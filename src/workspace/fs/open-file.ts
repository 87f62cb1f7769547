// Opens regular files only. It checks the kind of an entry before it opens it. Where the kernel opens no device, it
// opens a file for reading directly with O_NONBLOCK, and reads nothing if the entry is not regular.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { writeAll } from "./atomic-write.ts";
import type { Cooperative } from "./cooperative.ts";
import { showName } from "./names.ts";
import { explainErrors } from "./os-error.ts";
import { atExistingEntry, fdPath, type OpenEntry, openInOneCall, type Root } from "./paths.ts";
import { kindOf } from "./tree.ts";

export const { O_RDONLY, O_WRONLY, O_APPEND } = fs.constants;
const { O_NONBLOCK, O_NOCTTY, W_OK } = fs.constants;
const CHUNK_BYTES = 1024 * 1024;
/** For a file that grows during the read, or does not report its size. */
const SMALLEST_CHUNK_BYTES = 4096;

const NOT_REGULAR = {
  directory: "a directory",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
  symlink: "a symbolic link",
} as const;

export interface OpenFile {
  /** The caller closes it. */
  readonly fd: number;
  /** Canonical, relative to the root. */
  readonly path: string;
  readonly size: number;
}

/** Calls `guard` with the resolved path before it reads anything. */
export function openToRead(root: Root, input: string, guard: (at: string) => void): OpenFile {
  const straight = openInOneCall(root, input, O_RDONLY);
  if (straight === null) {
    return atExistingEntry(root, input, (found, path) => {
      guard(path);
      return { fd: openFile(found, path, O_RDONLY), path, size: found.stat.size };
    });
  }
  const { fd, path, stat } = straight;
  try {
    guard(path);
    checkRegular(straight, path, "read");
    return { fd, path, size: stat.size };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** The caller closes the descriptor. */
export function openFile(found: OpenEntry, at: string, flags: number): number {
  checkRegular(found, at, flags === O_RDONLY ? "read" : "write");
  return fs.openSync(fdPath(found.fd), flags | O_NONBLOCK | O_NOCTTY);
}

export function withOpenFile<T>(found: OpenEntry, at: string, flags: number, work: (fd: number) => T): T {
  const fd = openFile(found, at, flags);
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A rename needs no right to the file that it replaces. This protects a read-only file nevertheless. */
export function checkReplaceable(found: OpenEntry, at: string): void {
  checkRegular(found, at, "write");
  fs.accessSync(fdPath(found.fd), W_OK);
}

export function checkRegular(found: OpenEntry, at: string, action: string): void {
  const kind = kindOf(found.stat) ?? "device";
  if (kind === "file") return;
  throw new HotcellError(
    "NOT_A_FILE",
    `Could not ${action} "${showName(at) || "."}": it is ${NOT_REGULAR[kind]}, not a regular file.`,
    {
      path: at,
      kind,
    },
  );
}

/** The whole file, or with `maxBytes` at most that much of its beginning. */
export function readBytes(
  fd: number,
  at: string,
  maxBytes: number | undefined,
  { size }: Pick<OpenFile, "size"> = fs.fstatSync(fd),
): Buffer {
  if (maxBytes === undefined && size > LIMITS.maxReadBytes) throw tooLarge(at, size);
  return readInto(fd, Buffer.allocUnsafe(Math.min(size, maxBytes ?? size)));
}

/** Reads as much of the beginning as the buffer can hold. */
export function readInto(fd: number, buffer: Buffer): Buffer {
  let length = 0;
  for (let got = -1; length < buffer.length && got !== 0; length += got)
    got = fs.readSync(fd, buffer, length, buffer.length - length, length);
  return buffer.subarray(0, length);
}

function tooLarge(at: string, size: number): HotcellError {
  return new HotcellError(
    "FILE_TOO_LARGE",
    `Could not read "${showName(at)}" whole: it has ${size} bytes, the limit is ${LIMITS.maxReadBytes}. Ask for a range of lines.`,
    { path: at, size, maxBytes: LIMITS.maxReadBytes },
  );
}

/** The file in chunks of at most 1 MiB; each is valid until the next is requested. */
export function* chunksOf(
  fd: number,
  at: string,
  { size }: Pick<OpenFile, "size"> = fs.fstatSync(fd),
): Generator<Buffer, void, void> {
  const wanted = Math.max(size + 1, SMALLEST_CHUNK_BYTES);
  const buffer = Buffer.allocUnsafe(Math.min(wanted, CHUNK_BYTES));
  for (let offset = 0; ; ) {
    const got = explainErrors("read", at, () => fs.readSync(fd, buffer, 0, buffer.length, offset));
    if (got === 0) return;
    offset += got;
    yield buffer.subarray(0, got);
  }
}

/** Copies a file's content to an empty file, and keeps it sparse: if the source has holes, blocks of zeros are not written. */
export function* copyBytes(
  source: number,
  at: string,
  target: number,
  onChunk: (chunk: Buffer) => void = () => {},
): Cooperative<void> {
  const stat = fs.fstatSync(source);
  const withHoles = hasHoles(stat);
  const write = withHoles ? writeWithoutZeros : writeAt;
  let end = 0;
  for (const chunk of chunksOf(source, at, stat)) {
    onChunk(chunk);
    write(target, chunk, end);
    end += chunk.length;
    yield;
  }
  if (withHoles) fs.ftruncateSync(target, end);
}

/** `stat` counts blocks of 512 bytes. */
export const hasHoles = ({ size, blocks }: fs.Stats): boolean => blocks * 512 < size;

/** The allocation unit of most file systems. */
const BLOCK_BYTES = 4096;

function writeWithoutZeros(fd: number, chunk: Buffer, position: number): void {
  if (isZero(chunk)) return;
  for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
    const block = chunk.subarray(at, at + BLOCK_BYTES);
    if (!isZero(block)) writeAt(fd, block, position + at);
  }
}

/** The first byte is zero, and each byte equals the one before it. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

export function writeAt(fd: number, data: Uint8Array, position: number): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at, position + at);
}

export function* hashFile(fd: number, at: string): Cooperative<string> {
  const hash = createHash("sha256");
  for (const chunk of chunksOf(fd, at)) {
    hash.update(chunk);
    yield;
  }
  return hash.digest("hex");
}

/** An append that fails leaves the file as it was. */
export function appendAll(fd: number, bytes: Uint8Array): void {
  const { size } = fs.fstatSync(fd);
  try {
    writeAll(fd, bytes);
  } catch (error) {
    fs.ftruncateSync(fd, size);
    throw error;
  }
}

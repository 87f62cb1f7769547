import { createHash } from "node:crypto";
import fs from "node:fs";
import { type Attributes, openNewFile } from "../atomic-write.ts";
import { chunksOf, O_RDONLY, openFile } from "../open-file.ts";
import type { Found } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { pathTo, type Spot } from "./exactly.ts";

/** Copies a regular file with its times and its holes, and gives the SHA-256 of what was copied. It is not on the disk yet. */
export function* copyFile(from: Found, to: Spot, { mode, owner }: Attributes): Pieces<string> {
  const { atimeMs, mtimeMs } = from.stat;
  const open = [openNewFile(pathTo(to), { mode: null, owner })];
  try {
    open.push(openFile(from, to.name, O_RDONLY));
    const [copy, source] = open as [number, number];
    const sha256 = yield* copyChunks(chunksOf(source, to.name), copy, hasHoles(from.stat));
    // Writing would take the set-user bit away.
    if (mode !== null) fs.fchmodSync(copy, mode);
    fs.futimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
    return sha256;
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
}

/** A block of `stat` has 512 bytes. */
const hasHoles = ({ size, blocks }: fs.Stats): boolean => blocks * 512 < size;

/** With holes, what is nothing but zeros is not written: it would take room on the disk that the original does not have. */
function* copyChunks(chunks: Iterable<Buffer>, copy: number, withHoles: boolean): Pieces<string> {
  const hash = createHash("sha256");
  let end = 0;
  for (const chunk of chunks) {
    hash.update(chunk);
    if (!withHoles || !isZero(chunk)) writeAt(copy, chunk, end);
    end += chunk.length;
    yield;
  }
  if (withHoles) fs.ftruncateSync(copy, end);
  return hash.digest("hex");
}

/** When it begins with a zero and each byte is as the one before it. */
function isZero(chunk: Buffer): boolean {
  return chunk[0] === 0 && chunk.subarray(1).equals(chunk.subarray(0, -1));
}

function writeAt(fd: number, data: Uint8Array, position: number): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at, data.length - at, position + at);
}

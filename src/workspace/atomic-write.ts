// A file is replaced in one step: a temporary file beside it, written, synced, renamed over it.
// After a kill at any instant the target is wholly old or wholly new.
import fs from "node:fs";
import type { Leftovers } from "./leftovers.ts";
import { childPath } from "./paths.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Target {
  /** Open directory, its canonical path, and the name in it. */
  readonly dir: number;
  readonly directory: string;
  readonly name: string;
  /** What a replaced file had; null for a new file. */
  readonly mode: number | null;
  /** Who the file shall belong to; null leaves it to the system. */
  readonly owner: Owner | null;
}

/** `fill` writes the content through the descriptor of the temporary file. */
export function replaceFile(target: Target, leftovers: Leftovers, fill: (fd: number) => void): void {
  const temporary = leftovers.announce(target.directory);
  const from = childPath(target.dir, temporary);
  try {
    writeTemporary(from, target, fill);
    fs.renameSync(from, childPath(target.dir, target.name));
  } catch (error) {
    fs.rmSync(from, { force: true });
    throw error;
  } finally {
    leftovers.settle(temporary);
  }
}

function writeTemporary(at: string | Buffer, target: Target, fill: (fd: number) => void): void {
  const fd = fs.openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    fill(fd);
    if (target.owner !== null) fs.fchownSync(fd, target.owner.uid, target.owner.gid);
    if (target.mode !== null) fs.fchmodSync(fd, target.mode & 0o777);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes all of it: one `write` may take less than it was given. */
export function writeAll(fd: number, data: Uint8Array): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at);
}

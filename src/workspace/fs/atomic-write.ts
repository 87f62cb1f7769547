// Replaces a file atomically: writes and syncs a temporary file beside it, and renames that over the target.
// After a kill at any time the target is entirely old or entirely new.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Owner } from "./owner.ts";
import { childPath } from "./paths.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** The attributes of a new file; null keeps the system's default. */
export interface Attributes {
  readonly mode: number | null;
  readonly owner: Owner | null;
}

export interface Target extends Attributes {
  /** Open directory, its canonical path, and the name in it. */
  readonly dir: number;
  readonly directory: string;
  readonly name: string;
}

/** `fill` writes the content through the descriptor of the temporary file. */
export function replaceFile(target: Target, leftovers: Leftovers, fill: (fd: number) => void): void {
  const temporary = leftovers.announce(target.directory);
  const from = childPath(target.dir, temporary);
  try {
    createFile(from, target, (fd) => {
      fill(fd);
      fs.fsyncSync(fd);
    });
    fs.renameSync(from, childPath(target.dir, target.name));
  } catch (error) {
    if (tryUnlink(from)) leftovers.settle(temporary);
    throw error;
  }
  leftovers.settle(temporary);
}

/** Fails if the name exists. */
export function createFile(at: string | Buffer, attributes: Attributes, fill: (fd: number) => void): void {
  const fd = openNewFile(at, attributes);
  try {
    fill(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Like `createFile`, but the caller fills and closes the file. Mode and owner are set before it has content. */
export function openNewFile(at: string | Buffer, { mode, owner }: Attributes): number {
  const fd = fs.openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    if (owner !== null) fs.fchownSync(fd, owner.uid, owner.gid);
    if (mode !== null) fs.fchmodSync(fd, mode & 0o777);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Whether the file is gone. */
function tryUnlink(at: string | Buffer): boolean {
  try {
    fs.unlinkSync(at);
    return true;
  } catch (error) {
    return osErrorCode(error) === "ENOENT";
  }
}

/** Writes all bytes: one `write` may write fewer than requested. */
export function writeAll(fd: number, data: Uint8Array): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at);
}

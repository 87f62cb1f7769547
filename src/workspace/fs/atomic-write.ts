// A file is replaced in one step: a temporary file beside it, written, synced, renamed over it.
// After a kill at any instant the target is wholly old or wholly new.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Owner } from "./owner.ts";
import { childPath } from "./paths.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** What a new file shall have; null leaves it to the system. */
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

/** Fails when something of that name is there. */
export function createFile(at: string | Buffer, attributes: Attributes, fill: (fd: number) => void): void {
  const fd = openNewFile(at, attributes);
  try {
    fill(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The same, to be filled and closed by the caller. Mode and owner are set before there is content to be seen. */
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

/** Whether it is gone. */
function tryUnlink(at: string | Buffer): boolean {
  try {
    fs.unlinkSync(at);
    return true;
  } catch (error) {
    return osErrorCode(error) === "ENOENT";
  }
}

/** Writes all of it: one `write` may take less than it was given. */
export function writeAll(fd: number, data: Uint8Array): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(fd, data, at);
}

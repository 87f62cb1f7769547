import fs from "node:fs";
import { readInto } from "../../fs/open-file.ts";
import { childPath } from "../../fs/paths.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

export interface RegularFile {
  /** The caller closes it. */
  readonly fd: number;
  readonly size: number;
}

/** Opens an entry of any kind for reading, such that no read blocks. Does not open a link. */
export const NONBLOCKING_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

export function openWithoutBlocking(dir: number, name: string): number {
  return fs.openSync(childPath(dir, name), NONBLOCKING_FLAGS);
}

/** Null if it is no regular file. */
export function openRegular(dir: number, name: string): RegularFile | null {
  const fd = openWithoutBlocking(dir, name);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return { fd, size: stat.size };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return null;
}

export function readBeginning({ fd, size }: RegularFile, maxBytes: number): Buffer {
  return readInto(fd, Buffer.allocUnsafe(Math.min(size, maxBytes)));
}

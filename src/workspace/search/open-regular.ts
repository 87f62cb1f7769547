import fs from "node:fs";
import { childPath } from "../paths.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

export interface RegularFile {
  /** The caller's to close. */
  readonly fd: number;
  readonly size: number;
}

/** Opens a name in an open directory to be read, whatever it is: nothing that is read from it keeps anybody waiting. What can't be opened throws, a link too. */
export function openAtOnce(dir: number, name: string): number {
  return fs.openSync(childPath(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

/** Null when it is no regular file. */
export function openRegular(dir: number, name: string): RegularFile | null {
  const fd = openAtOnce(dir, name);
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
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let length = 0;
  for (let got = -1; got !== 0 && length < bytes.length; length += got)
    got = fs.readSync(fd, bytes, length, bytes.length - length, length);
  return bytes.subarray(0, length);
}

import fs from "node:fs";
import { openRegularFile, type RegularFile } from "../../../core/open-regular-file.ts";
import { readInto } from "../../fs/open-file.ts";
import { childPath } from "../../fs/paths.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** Opens an entry of any kind for reading, such that no read blocks. Does not open a link. */
export const NONBLOCKING_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

export function openWithoutBlocking(dir: number, name: string): number {
  return fs.openSync(childPath(dir, name), NONBLOCKING_FLAGS);
}

/** Null if it is no regular file. */
export function openRegular(dir: number, name: string): RegularFile | null {
  return openRegularFile(childPath(dir, name), O_NOFOLLOW);
}

export function readBeginning({ fd, stat }: RegularFile, maxBytes: number): Buffer {
  return readInto(fd, Buffer.allocUnsafe(Math.min(stat.size, maxBytes)));
}

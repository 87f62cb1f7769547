import fs from "node:fs";
import { writeAll } from "../fs/atomic-write.ts";
import { copyMetadata } from "../fs/metadata.ts";
import { childPath } from "../fs/paths.ts";
import type { Disclosed } from "./find-secrets.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** Writes the judged bytes into an open directory of hotcell's own, with mode, owner and times of the project's file. */
export function writeDisclosed(dir: number, name: string, { bytes, stat }: Disclosed): void {
  const fd = fs.openSync(childPath(dir, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(fd, bytes);
    copyMetadata(fd, stat);
  } finally {
    fs.closeSync(fd);
  }
}

/** The copy as it is. */
export function readDisclosed(dir: number, name: string): Disclosed {
  const at = childPath(dir, name);
  return { bytes: fs.readFileSync(at), stat: fs.lstatSync(at) };
}

/** Whether commands see the same; null is no file. */
export function isSameFile(one: Disclosed | null, other: Disclosed | null): boolean {
  if (one === null || other === null) return one === other;
  return one.stat.mode === other.stat.mode && one.bytes.equals(other.bytes);
}

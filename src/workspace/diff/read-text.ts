import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { tryOpen } from "../fs/fingerprint.ts";
import { decodeName } from "../fs/names.ts";
import { atExactPath, type EntryRef, entryPath } from "../fs/no-follow.ts";
import { O_RDONLY, readBytes, withOpenFile } from "../fs/open-file.ts";
import type { Root } from "../fs/paths.ts";
import { textOf } from "./text.ts";

/** Null if there is no regular file, or it is too large for a line diff. */
export function readText(root: Root | null, path: string): string | null {
  return atEntry(root, path, (ref) => {
    const fd = tryOpen(ref);
    if (fd === null) return null;
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || stat.size > LIMITS.maxDiffFileBytes) return null;
      return withOpenFile({ fd, stat }, path, O_RDONLY, (file) => textOf(readBytes(file, path, stat.size)));
    } finally {
      fs.closeSync(fd);
    }
  });
}

export function readLink(root: Root | null, path: string): string | null {
  return atEntry(root, path, (ref) => decodeName(fs.readlinkSync(entryPath(ref), "buffer")));
}

function atEntry<T>(root: Root | null, path: string, work: (ref: EntryRef) => T): T | null {
  if (root === null) return null;
  return atExactPath(root, path, (ref) => (typeof ref === "string" ? null : work(ref)));
}

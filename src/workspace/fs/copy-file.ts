import { createHash } from "node:crypto";
import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { type Attributes, openNewFile, writeAll } from "./atomic-write.ts";
import type { Cooperative } from "./cooperative.ts";
import { sha256Of } from "./fingerprint.ts";
import { type EntryRef, entryPath } from "./no-follow.ts";
import { copyBytes, hasHoles, O_RDONLY, openFile, readBytes } from "./open-file.ts";
import type { OpenEntry } from "./paths.ts";

/** Copies a regular file with its times and holes, without a sync. Returns the SHA-256 of the copied bytes. */
export function* copyFile(from: OpenEntry, to: EntryRef, attributes: Attributes): Cooperative<string> {
  const fd = openFile(from, to.name, O_RDONLY);
  try {
    return yield* copyWith(copyToEnd, { fd, stat: from.stat }, to, attributes);
  } finally {
    fs.closeSync(fd);
  }
}

/** Copies a file that is open for reading, with the size in `from.stat`. It reads a small file in one go. */
export function copyOpen(from: OpenEntry, to: EntryRef, attributes: Attributes): Cooperative<string> {
  const isSmall = from.stat.size <= LIMITS.maxReadBytes && !hasHoles(from.stat);
  return copyWith(isSmall ? copySmall : copyToEnd, from, to, attributes);
}

/** Returns the SHA-256. */
type CopyContent = (from: OpenEntry, name: string, copy: number) => Cooperative<string>;

function* copyWith(
  copyContent: CopyContent,
  from: OpenEntry,
  to: EntryRef,
  { mode, owner }: Attributes,
): Cooperative<string> {
  const copy = openNewFile(entryPath(to), { mode: null, owner });
  try {
    const sha256 = yield* copyContent(from, to.name, copy);
    // A write would clear the set-user bit.
    if (mode !== null) fs.fchmodSync(copy, mode);
    fs.futimesSync(copy, from.stat.atimeMs / 1000, from.stat.mtimeMs / 1000);
    return sha256;
  } finally {
    fs.closeSync(copy);
  }
}

const copyToEnd: CopyContent = function* ({ fd }, name, copy) {
  const hash = createHash("sha256");
  yield* copyBytes(fd, name, copy, (chunk) => hash.update(chunk));
  return hash.digest("hex");
};

const copySmall: CopyContent = function* ({ fd, stat }, name, copy) {
  const bytes = readBytes(fd, name, stat.size, stat);
  writeAll(copy, bytes);
  yield;
  return sha256Of(bytes);
};

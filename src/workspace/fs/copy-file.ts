import { createHash } from "node:crypto";
import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { type Attributes, openNewFile, writeAll } from "./atomic-write.ts";
import type { Pieces } from "./cooperative.ts";
import { sha256Of } from "./fingerprint.ts";
import { pathTo, type Spot } from "./no-follow.ts";
import { copyBytes, hasHoles, O_RDONLY, openFile, readBytes } from "./open-file.ts";
import type { OpenEntry } from "./paths.ts";

/** Copies a regular file with its times and its holes, and gives the SHA-256 of what was copied. It is not on the disk yet. */
export function* copyFile(from: OpenEntry, to: Spot, attributes: Attributes): Pieces<string> {
  const fd = openFile(from, to.name, O_RDONLY);
  try {
    return yield* copyWith(copyToEnd, { fd, stat: from.stat }, to, attributes);
  } finally {
    fs.closeSync(fd);
  }
}

/** The same of one that is open to be read, with as many bytes as it was seen to have: a small one is read at once. */
export function copyOpen(from: OpenEntry, to: Spot, attributes: Attributes): Pieces<string> {
  const isSmall = from.stat.size <= LIMITS.maxReadBytes && !hasHoles(from.stat);
  return copyWith(isSmall ? copySmall : copyToEnd, from, to, attributes);
}

/** Gives the SHA-256. */
type CopyContent = (from: OpenEntry, name: string, copy: number) => Pieces<string>;

function* copyWith(
  copyContent: CopyContent,
  from: OpenEntry,
  to: Spot,
  { mode, owner }: Attributes,
): Pieces<string> {
  const copy = openNewFile(pathTo(to), { mode: null, owner });
  try {
    const sha256 = yield* copyContent(from, to.name, copy);
    // Writing would take the set-user bit away.
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

import { createHash } from "node:crypto";
import fs from "node:fs";
import { type Attributes, openNewFile } from "../atomic-write.ts";
import { copyBytes, O_RDONLY, openFile } from "../open-file.ts";
import type { Found } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { pathTo, type Spot } from "./exactly.ts";

/** Copies a regular file with its times and its holes, and gives the SHA-256 of what was copied. It is not on the disk yet. */
export function* copyFile(from: Found, to: Spot, { mode, owner }: Attributes): Pieces<string> {
  const { atimeMs, mtimeMs } = from.stat;
  const open = [openNewFile(pathTo(to), { mode: null, owner })];
  try {
    open.push(openFile(from, to.name, O_RDONLY));
    const [copy, source] = open as [number, number];
    const hash = createHash("sha256");
    yield* copyBytes(source, to.name, copy, (chunk) => hash.update(chunk));
    // Writing would take the set-user bit away.
    if (mode !== null) fs.fchmodSync(copy, mode);
    fs.futimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
    return hash.digest("hex");
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
}

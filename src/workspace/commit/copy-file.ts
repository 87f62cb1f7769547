import { createHash } from "node:crypto";
import fs from "node:fs";
import { type Attributes, createFile, writeAll } from "../atomic-write.ts";
import { chunksOf, O_RDONLY, withOpenFile } from "../open-file.ts";
import type { Found } from "../paths.ts";
import { pathTo, type Spot } from "./exactly.ts";

const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Copies a regular file with its times, and gives the SHA-256 of what was copied. It is not on the disk yet. */
export function copyFile(from: Found, to: Spot, { mode, owner }: Attributes): string {
  const hash = createHash("sha256");
  const { atimeMs, mtimeMs } = from.stat;
  createFile(pathTo(to), { mode: null, owner }, (copy) =>
    withOpenFile(from, to.name, O_RDONLY, (fd) => {
      for (const chunk of chunksOf(fd, to.name)) {
        hash.update(chunk);
        writeAll(copy, chunk);
      }
      // Writing would take the set-user bit away.
      if (mode !== null) fs.fchmodSync(copy, mode);
      fs.futimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
    }),
  );
  return hash.digest("hex");
}

/** Puts a regular file on the disk; a link is there with its directory. */
export function syncFile(spot: Spot): void {
  const fd = fs.openSync(pathTo(spot), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

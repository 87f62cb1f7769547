import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import { tryOpen } from "../fs/fingerprint.ts";
import { decodeName } from "../fs/names.ts";
import { atExactly, pathTo, type Spot } from "../fs/no-follow.ts";
import { O_RDONLY, readBytes, withOpenFile } from "../fs/open-file.ts";
import type { Root } from "../fs/paths.ts";
import { textOf } from "./text.ts";

/** Null if there is no regular file, or it is too large for a line diff. */
export function readText(root: Root | null, path: string): string | null {
  return atSpot(root, path, (spot) => {
    const fd = tryOpen(spot);
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
  return atSpot(root, path, (spot) => decodeName(fs.readlinkSync(pathTo(spot), "buffer")));
}

function atSpot<T>(root: Root | null, path: string, work: (spot: Spot) => T): T | null {
  if (root === null) return null;
  return atExactly(root, path, (spot) => (typeof spot === "string" ? null : work(spot)));
}

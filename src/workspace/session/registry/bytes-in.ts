import fs from "node:fs";
import { childPath } from "../../fs/paths.ts";
import { tourTree } from "../../fs/tree.ts";

/** Disk usage of a directory and everything below it. */
export function bytesIn(dir: string): number {
  const fd = fs.openSync(dir, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    let bytes = 0;
    for (const { step, dir: holder, name } of tourTree(fd, { temporary: true, unreadable: () => {} })) {
      if (step === "entry")
        bytes += fs.lstatSync(childPath(holder, name), { throwIfNoEntry: false })?.blocks ?? 0;
    }
    return bytes * 512;
  } finally {
    fs.closeSync(fd);
  }
}

import fs from "node:fs";
import { LIMITS } from "../../../core/limits.ts";
import { childPath } from "../../fs/paths.ts";
import { walkTree } from "../../fs/tree.ts";

/** Disk usage of a directory and everything below it, empty files included; 0 if there is none. */
export function bytesIn(dir: string, unlock?: "closed"): number {
  if (!fs.existsSync(dir)) return 0;
  const fd = fs.openSync(dir, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    let bytes = 0;
    for (const { step, dir: holder, name } of walkTree(fd, {
      temporary: true,
      unreadable: () => {},
      ...(unlock && { unlock }),
    })) {
      if (step !== "entry") continue;
      const stat = fs.lstatSync(childPath(holder, name), { throwIfNoEntry: false });
      if (stat !== undefined) bytes += Math.max(stat.blocks * 512, LIMITS.diskBytesOfEntry);
    }
    return bytes;
  } finally {
    fs.closeSync(fd);
  }
}

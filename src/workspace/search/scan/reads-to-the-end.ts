// Decides whether a short read proves the end of a file, without another read.
import fs from "node:fs";
import { listMounts } from "../../fs/mountinfo.ts";
import { decodeName } from "../../fs/names.ts";
import { hasExactTimes } from "../../fs/names-cache.ts";
import { fdPath } from "../../fs/paths.ts";

/** Whether a short read always means the end of the file, or an unreadable part, for all files below an open directory. Local file systems guarantee this. Other file systems may not, and one may be mounted below, even on a single file. */
export function readsToTheEnd(dir: number): boolean {
  return hasExactTimes(dir) && !hasMountsBelow(dir);
}

function hasMountsBelow(dir: number): boolean {
  const place = decodeName(fs.readlinkSync(fdPath(dir), "buffer"));
  return listMounts(place === "/" ? "" : place).length > 0;
}

// Decides whether a short read proves the end of a file, without another read.
import fs from "node:fs";
import { hasExactTimes } from "../../fs/names-cache.ts";
import { fdPath } from "../../fs/paths.ts";

/** Whether a short read always means the end of the file, or an unreadable part, for all files below an open directory. Local file systems guarantee this. Other file systems may not, and one may be mounted below, even on a single file. */
export function readsToTheEnd(dir: number): boolean {
  return hasExactTimes(dir) && !hasMountsBelow(dir);
}

function hasMountsBelow(dir: number): boolean {
  // Names are bytes; mountinfo writes some of them as octal escapes.
  const place = fs.readlinkSync(fdPath(dir), "latin1").replace(/[ \t\n\\]/g, octalEscape);
  const mounts = fs.readFileSync("/proc/self/mountinfo", "latin1");
  return mounts.includes(` ${place === "/" ? "" : place}/`);
}

const octalEscape = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;

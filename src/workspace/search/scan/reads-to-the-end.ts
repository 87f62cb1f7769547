// Where a file need not be read once more to learn that nothing follows.
import fs from "node:fs";
import { tellsByTimes } from "../../fs/known-names.ts";
import { fdPath } from "../../fs/paths.ts";

/** Whether, for all files below an open directory, a read that gives less than there is room for has come to the file's end, or to what can't be read. So it is in file systems of the machine itself; what else may be mounted there, on a single file too, need not do so. */
export function readsToTheEnd(dir: number): boolean {
  return tellsByTimes(dir) && !hasMountsBelow(dir);
}

function hasMountsBelow(dir: number): boolean {
  // Names are bytes; in the list some of them are written as numbers.
  const place = fs.readlinkSync(fdPath(dir), "latin1").replace(/[ \t\n\\]/g, asNumber);
  const mounts = fs.readFileSync("/proc/self/mountinfo", "latin1");
  return mounts.includes(` ${place === "/" ? "" : place}/`);
}

const asNumber = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;

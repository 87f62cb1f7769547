import fs from "node:fs";

/**
 * What the clock says that files are stamped with: it runs behind the real one by some milliseconds. Whatever
 * is changed from now on has a change time that is not before this.
 */
export function fileClock(dir: string): number {
  const now = new Date();
  fs.utimesSync(dir, now, now);
  return fs.statSync(dir).ctimeMs;
}

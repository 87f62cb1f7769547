import fs from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Some file systems store change times in steps of two seconds. If an entry changed this recently, a second change may leave the same time. */
export const TIME_STEP_MS = 3000;

/**
 * The time of the clock that stamps files. It is some milliseconds behind the real clock. Every later change has a
 * change time that is not before this.
 */
export function fileClock(dir: string): number {
  const now = new Date();
  fs.utimesSync(dir, now, now);
  return fs.statSync(dir).ctimeMs;
}

/** Waits until later writes get a later time than earlier ones. `dir` can be any directory of hotcell's own. */
export async function clockStep(dir: string): Promise<void> {
  const beganMs = fileClock(dir);
  while (fileClock(dir) <= beganMs) await setTimeout(1);
}

/** Equal texts mean that the file has not changed. Null if a later change may leave the same times. */
export function fileVersion({ dev, ino, size, mtimeMs, ctimeMs }: fs.Stats): string | null {
  return ctimeMs < Date.now() - TIME_STEP_MS ? [dev, ino, size, mtimeMs, ctimeMs].join(" ") : null;
}

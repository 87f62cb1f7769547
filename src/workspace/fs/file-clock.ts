import fs from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Some file systems count change times in steps of two seconds: what changed so short before it was looked at may have changed again unseen. */
export const TIME_STEP_MS = 3000;

/**
 * What the clock says that files are stamped with: it runs behind the real one by some milliseconds. Whatever
 * is changed from now on has a change time that is not before this.
 */
export function fileClock(dir: string): number {
  const now = new Date();
  fs.utimesSync(dir, now, now);
  return fs.statSync(dir).ctimeMs;
}

/** What is written after this has a later time than what was written before. The directory is any of ours. */
export async function clockStep(dir: string): Promise<void> {
  const beganMs = fileClock(dir);
  while (fileClock(dir) <= beganMs) await setTimeout(1);
}

// Long work in small pieces: a tree of any size is gone through without holding up everything else.
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileClock } from "../file-clock.ts";

const PIECE_MS = 10;

/** Called after each small step; now and then it lets others have their turn. */
export type Pace = () => Promise<void> | undefined;

export function createPace(): Pace {
  let began = performance.now();
  return () => {
    if (performance.now() - began < PIECE_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}

/** What is written after this has a later time than what was written before. The directory is any of ours. */
export async function clockStep(dir: string): Promise<void> {
  const beganMs = fileClock(dir);
  while (fileClock(dir) <= beganMs) await setTimeout(1);
}

// Long work in small pieces: a tree of any size is gone through without holding up everything else.
import { setImmediate } from "node:timers/promises";

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

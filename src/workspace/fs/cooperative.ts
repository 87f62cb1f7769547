// Work that a huge file can make long, cut into pieces: one implementation, done at once where the caller can't
// wait, and otherwise so that everybody else has a turn between two pieces.
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

/** Each `yield` ends a piece. What is open is closed by `finally`: the work may be called off there. */
export type Pieces<T> = Generator<void, T, void>;

export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The signal calls it off between two pieces; what may end by itself within some time is given that. */
export async function inPieces<T>(work: Pieces<T>, signal?: AbortSignal, graceMs = 0): Promise<T> {
  if (graceMs === 0) signal?.throwIfAborted();
  const pace = createPace();
  let endMs: number | null = null;
  let piece = work.next();
  while (piece.done !== true) {
    const turn = pace();
    if (turn !== undefined) await turn;
    if (signal?.aborted === true) endMs ??= performance.now() + graceMs;
    const isOver = endMs !== null && performance.now() >= endMs;
    piece = isOver ? work.throw(signal!.reason) : work.next();
  }
  return piece.value;
}

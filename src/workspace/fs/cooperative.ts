// Cooperative work: work proportional to file size is a generator. `runToEnd` drains it for synchronous callers.
// `runCooperatively` yields to the event loop between chunks and may abort there.
import { setImmediate } from "node:timers/promises";

const SLICE_MS = 10;

/** Call this after each small step. After 10 ms of work it yields to the event loop. */
export type Pace = () => Promise<void> | undefined;

export function createPace(): Pace {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}

/** Each `yield` ends a piece, and the work may be aborted there. So it must close descriptors in `finally`. */
export type Cooperative<T> = Generator<void, T, void>;

export function runToEnd<T>(work: Cooperative<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The signal aborts the work between two pieces, after `graceMs` in which the work may still complete. */
export async function runCooperatively<T>(
  work: Cooperative<T>,
  signal?: AbortSignal,
  graceMs = 0,
): Promise<T> {
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

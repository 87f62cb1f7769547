import { LIMITS } from "./limits.ts";

export interface TimeLimit {
  /** Aborts with the caller's signal, or with a `TimeoutError` after the time. */
  readonly signal: AbortSignal;
  /** Removes the timer. */
  end(): void;
}

/** Node 20 collects an `AbortSignal.timeout` that only `AbortSignal.any` knows, and the time never ends. */
export function limitTime(caller: AbortSignal, ms: number): TimeLimit {
  const over = new AbortController();
  const expire = () => over.abort(new DOMException("The time is over.", "TimeoutError"));
  const timer = setTimeout(expire, Math.min(ms, LIMITS.maxTimerMs));
  return { signal: AbortSignal.any([caller, over.signal]), end: () => clearTimeout(timer) };
}

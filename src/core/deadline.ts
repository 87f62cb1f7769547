import { HotcellError } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { isSuspended } from "./suspension.ts";

/** A signal that aborts with the caller's signal or after a timeout, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects as soon as the signal aborts, even when the promise never settles. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Removes the timer and the listener; the signal keeps its state. */
  end(): void;
}

/** If `timeoutMs` is null, only the caller's signal aborts it. */
export function startDeadline(timeoutMs: number | null, what: string, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let giveUp: (reason: unknown) => void = () => {};
  const abort = (reason: HotcellError) => {
    controller.abort(reason);
    giveUp(signal.reason);
  };
  const cancel = () =>
    abort(
      isSuspended(caller)
        ? caller.reason
        : new HotcellError("CANCELLED", `${what} was cancelled by its caller.`),
    );
  const expire = () =>
    abort(new HotcellError("TIMEOUT", `${what} did not end within ${timeoutMs} ms.`, { timeoutMs }));
  const timer = timeoutMs === null ? undefined : setTimeout(expire, Math.min(timeoutMs, LIMITS.maxTimerMs));
  if (caller.aborted) cancel();
  else caller.addEventListener("abort", cancel, { once: true });
  return {
    signal,
    wait: (promise) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        if (signal.aborted) giveUp(signal.reason);
        promise.then(resolve, reject);
      }),
    end() {
      clearTimeout(timer);
      caller.removeEventListener("abort", cancel);
    },
  };
}

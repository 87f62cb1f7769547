import { HotcellError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** A signal that aborts when the caller's does, or when the time is over, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects as soon as the signal aborts, even when the promise never settles. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Frees the timer and the listener; the signal stays as it is. */
  end(): void;
}

/** Without a time (null) only the caller can end it. */
export function startDeadline(timeoutMs: number | null, what: string, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let giveUp: (reason: unknown) => void = () => {};
  const abort = (reason: HotcellError) => {
    controller.abort(reason);
    giveUp(signal.reason);
  };
  const cancel = () => abort(new HotcellError("CANCELLED", `${what} was cancelled by its caller.`));
  const expire = () =>
    abort(new HotcellError("TIMEOUT", `${what} did not end within ${timeoutMs} ms.`, { timeoutMs }));
  const timer = timeoutMs === null ? undefined : setTimeout(expire, Math.min(timeoutMs, LIMITS.maxTimeoutMs));
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

import { HotcellError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** A signal that aborts when the caller's does, or when the time is over, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Frees the timer and the listener; the signal stays as it is. */
  end(): void;
}

/** Without a time (null) only the caller can end it. */
export function startDeadline(timeoutMs: number | null, what: string, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  const cancel = () =>
    controller.abort(new HotcellError("CANCELLED", `${what} was cancelled by its caller.`));
  const expire = () =>
    controller.abort(
      new HotcellError("TIMEOUT", `${what} did not end within ${timeoutMs} ms.`, { timeoutMs }),
    );
  const timer = timeoutMs === null ? undefined : setTimeout(expire, Math.min(timeoutMs, LIMITS.maxTimeoutMs));
  if (caller.aborted) cancel();
  else caller.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      caller.removeEventListener("abort", cancel);
    },
  };
}

/** Rejects as soon as the signal aborts, even when the promise never settles. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Whoever stops waiting for it does not hear of it any more: that must not end the process.
  promise.catch(() => {});
  signal.throwIfAborted();
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

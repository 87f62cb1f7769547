import { HotcellError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** A signal that aborts when the caller's does, or when the time is over, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Frees the timer and the listener; the signal stays as it is. */
  end(): void;
}

export function startDeadline(timeoutMs: number, what: string, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  const cancel = () => controller.abort(cancelled(what));
  const expire = () =>
    controller.abort(new HotcellError("TIMEOUT", `${what} did not end within ${timeoutMs} ms.`, { timeoutMs }));
  const timer = setTimeout(expire, Math.min(timeoutMs, LIMITS.maxTimeoutMs));
  if (caller?.aborted) cancel();
  else caller?.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", cancel);
    },
  };
}

function cancelled(what: string): HotcellError {
  return new HotcellError("CANCELLED", `${what} was cancelled by its caller.`);
}

/** Rejects as soon as the signal aborts, even when the promise never settles. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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

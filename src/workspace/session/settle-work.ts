import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { explainingLater } from "../fs/os-error.ts";

/**
 * Settles what a call has changed. Its work is done, whatever comes of this: when it is called off and takes
 * long, or fails as on a full disk, the next call begins with it. Gives why it failed.
 */
export async function settleWork(
  id: string,
  settle: (signal: AbortSignal | undefined, graceMs: number) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    await explainingLater("note the changes of the session", id, () => settle(signal, LIMITS.noteWaitMs));
    return null;
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) return null;
    if (!(error instanceof HotcellError)) throw error;
    return `${error.message} They are made; the next call that changes something notes them first.`;
  }
}

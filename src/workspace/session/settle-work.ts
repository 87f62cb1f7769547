import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { explainingLater } from "../fs/os-error.ts";

/**
 * Records what a call changed. The call's work is done in any case: if recording is aborted and takes long, or fails
 * as on a full disk, the next call starts with it. Returns why it failed.
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

import { HotcellError, osErrorCode } from "../../core/errors.ts";

/** What can't be done now, on a full disk maybe, is left to a later call. */
export async function ifPossible(work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof HotcellError) && osErrorCode(error) === undefined) throw error;
  }
}

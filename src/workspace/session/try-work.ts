import { HotcellError, osErrorCode } from "../../core/errors.ts";

/** Ignores a failure, as on a full disk: a later call repeats the work. */
export async function tryWork(work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof HotcellError) && osErrorCode(error) === undefined) throw error;
  }
}

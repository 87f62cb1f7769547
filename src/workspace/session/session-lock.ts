import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { isLocked, waitForLock } from "../../core/lock.ts";
import { quote } from "../../core/quote.ts";

/** Takes the session's writer lock; the returned function releases it. */
export async function holdSession(id: string, dir: string, waitMs?: number): Promise<() => void> {
  try {
    return await waitForLock(path.join(dir, "lock"), waitMs);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const message = `Could not open the session ${quote(id)}: another process uses it. Close that process, or wait longer (--wait SECONDS, or waitMs in the library). ${error.message}`;
    throw new HotcellError("LOCKED", message, { ...error.details, session: id });
  }
}

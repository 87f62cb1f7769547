import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { isLocked, isLockHeldHere, waitForLock } from "../../core/lock.ts";
import { quote } from "../../core/quote.ts";

/** Takes the session's writer lock; the returned function releases it. */
export async function holdSession(id: string, dir: string, waitMs?: number): Promise<() => void> {
  const lock = path.join(dir, "lock");
  try {
    return await waitForLock(lock, waitMs);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const user = isLockHeldHere(lock)
      ? "another cell of this process uses it. Close that cell"
      : "another process uses it. Close that process";
    const message = `Could not open the session ${quote(id)}: ${user}, or wait longer (--wait SECONDS, or waitMs in the library). ${error.message}`;
    throw new HotcellError("LOCKED", message, { ...error.details, session: id });
  }
}

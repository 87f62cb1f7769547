import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { holdLock } from "../../core/lock.ts";
import { quote } from "../../core/quote.ts";

/** Takes the session's writer lock; the returned function releases it. */
export function holdSession(id: string, dir: string): () => void {
  try {
    return holdLock(path.join(dir, "lock"));
  } catch (error) {
    if (!(error instanceof HotcellError) || error.code !== "LOCKED") throw error;
    const message = `Could not open the session ${quote(id)}: another hotcell works in it. Close that, or wait until it is done. (${error.message})`;
    throw new HotcellError("LOCKED", message, { ...error.details, session: id });
  }
}

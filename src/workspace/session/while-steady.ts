import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { readRecord, type SessionRecord, sessionDir } from "./record.ts";

const MAX_TRIES = 8;

/** Looks at a session that another process may be changing: what fails is tried again when the session has come to have other layers meanwhile. */
export async function whileSteady<T>(
  id: string,
  stateDir: string,
  look: (record: SessionRecord) => T | Promise<T>,
): Promise<T> {
  const dir = sessionDir(stateDir, id);
  for (let tries = 1; ; tries++) {
    const record = readRecord(dir);
    try {
      return await look(record);
    } catch (error) {
      if (isSame(record, readRecord(dir))) throw error;
      if (tries === MAX_TRIES) throw keepsChanging(id, error);
    }
  }
}

const isSame = (a: SessionRecord, b: SessionRecord): boolean =>
  JSON.stringify([a.stack, a.left]) === JSON.stringify([b.stack, b.left]);

function keepsChanging(id: string, cause: unknown): HotcellError {
  const message = `Could not look at the session ${quote(id)}: another process keeps changing it. Try again when it rests.`;
  return new HotcellError("LOCKED", message, { session: id }, { cause });
}

import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { readRecord, type SessionRecord, sessionDir } from "../layers/record.ts";

const MAX_TRIES = 8;

/** Reads a session that another process may be changing; again if that process removed layers meanwhile. */
export async function retryOnChange<T>(
  id: string,
  stateDir: string,
  read: (record: SessionRecord) => T | Promise<T>,
  discard: (found: T) => void = () => {},
): Promise<T> {
  const dir = sessionDir(stateDir, id);
  let last: unknown;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const record = readRecord(dir);
    try {
      const found = await read(record);
      if (hasLayersOf(readRecord(dir), record)) return found;
      discard(found);
    } catch (error) {
      last = error;
      if (isSame(record, readRecord(dir))) throw error;
    }
  }
  throw keepsChanging(id, last);
}

const isSame = (a: SessionRecord, b: SessionRecord): boolean =>
  JSON.stringify([a.stack, a.left]) === JSON.stringify([b.stack, b.left]);

function hasLayersOf({ stack, left }: SessionRecord, other: SessionRecord): boolean {
  const names = new Set([stack, ...left].flat().map(({ session, name }) => `${session}/${name}`));
  return other.stack.every(({ session, name }) => names.has(`${session}/${name}`));
}

function keepsChanging(id: string, cause: unknown): HotcellError {
  const message = `Could not read the session ${quote(id)}: another process keeps changing it. Try again when that process has finished.`;
  return new HotcellError("LOCKED", message, { session: id }, { cause });
}

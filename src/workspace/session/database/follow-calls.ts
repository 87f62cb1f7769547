// The calls of a session in its database, from the log of the session.
import fs from "node:fs";
import { isOfSqlite } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { runPaths } from "../../../log/runs.ts";
import { inTransactionAtOnce, type SqlDatabase } from "../../agentfs/driver.ts";
import { readSessionRow, writeSessionRow } from "../../agentfs/session-rows.ts";
import { type CallsPosition, NO_CALLS, writeToolCalls } from "../../agentfs/tool-calls.ts";
import { runToEnd } from "../../fs/cooperative.ts";
import type { SessionState } from "../session-state.ts";

const ROW = "calls";

type Calls = Pick<SessionState, "id" | "store">;

/** Adds the calls that the log has by now, within a transaction. If the table does not take them, as after somebody changed it, the database has the files all the same. */
export function addCalls({ id, store }: Calls, db: SqlDatabase): void {
  const from = readPosition(db);
  try {
    const next = runToEnd(writeToolCalls(db, runPaths(store.stateDir, id), from));
    if (next.seq !== from.seq) writeSessionRow(db, ROW, next);
  } catch (error) {
    if (!isOfSqlite(error)) throw error;
  }
}

/** Adds them in a transaction of its own, if there are any. A failure costs nothing: the next open adds them. */
export function tryAddCalls({ id, store, database }: Calls & Pick<SessionState, "database">): void {
  if (database === null) return;
  const { db } = database.locked;
  try {
    if (sizeOf(logFileOf({ id, store })) === readPosition(db).bytes) return;
    inTransactionAtOnce(db, () => addCalls({ id, store }, db));
  } catch {
    // As on a full disk.
  }
}

const logFileOf = ({ id, store }: Calls): string => runPaths(store.stateDir, id).logFile;

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function readPosition(db: SqlDatabase): CallsPosition {
  const row = readSessionRow(db, ROW);
  if (!isJsonObject(row)) return NO_CALLS;
  const { firstSeq, bytes, seq, open } = row;
  const isWhole = [firstSeq, bytes, seq, ...[open].flat(2)].every(
    (n) => Number.isSafeInteger(n) && Number(n) >= 0,
  );
  return isWhole && Array.isArray(open) && open.every((pair) => Array.isArray(pair) && pair.length === 2)
    ? (row as unknown as CallsPosition)
    : NO_CALLS;
}

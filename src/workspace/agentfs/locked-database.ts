// The database of an open session. Other programs can neither read nor write it until it is closed.
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { HotcellError, isOfSqlite } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import { CAREFUL } from "./check-schema.ts";
import { isBusy, openDatabase, reasonOf, type SqlDatabase } from "./driver.ts";
import { prepareToWrite } from "./schema.ts";

export interface LockedDatabase {
  readonly db: SqlDatabase;
  /** It has no tables yet. */
  readonly isNew: boolean;
  /** Whether its file still has its name. */
  place(): "same" | "missing" | "other";
  close(): void;
}

/** Creates the file if there is none. */
export async function openLockedDatabase(
  file: string,
  waitMs: number = LIMITS.holdWaitMs,
): Promise<LockedDatabase> {
  if (!isThere(file)) fs.closeSync(fs.openSync(file, "wx", 0o600));
  checkFiles(file);
  const { ino, dev } = fs.lstatSync(file, { bigint: true });
  const db = await openDatabase(file);
  try {
    db.exec(`PRAGMA busy_timeout=0; PRAGMA locking_mode=EXCLUSIVE; ${CAREFUL}`);
    await waitForOthers(() => lock(db), performance.now() + waitMs);
    const isNew = db.prepare("SELECT 1 AS yes FROM sqlite_schema").get() === undefined;
    return {
      db,
      isNew,
      place() {
        const now = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
        if (now === undefined) return "missing";
        return now.ino === ino && now.dev === dev ? "same" : "other";
      },
      close: () => closeDatabase(db),
    };
  } catch (error) {
    db.close();
    if (isBusy(error)) throw lockedError(file);
    if (isOfSqlite(error)) throw unusable(file, reasonOf(error));
    throw error;
  }
}

/** From the first transaction on, the connection keeps the lock. */
function lock(db: SqlDatabase): void {
  prepareToWrite(db);
  db.exec("BEGIN IMMEDIATE; COMMIT");
}

/** Yields to the event loop, because the connection that has the lock may be this process's own. */
async function waitForOthers(take: () => void, deadline: number): Promise<void> {
  for (;;) {
    try {
      return take();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

const PAUSE_MS = 5;

const isThere = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** SQLite would follow a link, and would undo what a journal of others says. */
function checkFiles(file: string): void {
  for (const at of [file, `${file}-wal`, `${file}-shm`]) {
    const stat = fs.lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (!stat.isFile()) throw unusable(at, "it is not a regular file");
    if (stat.size > LIMITS.agentfs.maxBytes) throw unusable(at, "it is too large");
  }
  if ((fs.lstatSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw unusable(
      file,
      "its last transaction is not finished (it has a journal beside it). Open it with AgentFS once",
    );
}

function closeDatabase(db: SqlDatabase): void {
  try {
    // libsql leaves the log in place when it closes a database.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // On a full disk the transactions stay in the log.
  }
  db.close();
}

export function unusable(file: string, reason: string): HotcellError {
  const next =
    "If you do not need its changes, move it away: hotcell writes the session's changes to a new file.";
  const message = `Could not use the database ${quote(file)}: ${reason.replace(/\.$/, "")}. ${next}`;
  return new HotcellError("WORKSPACE_UNUSABLE", message);
}

function lockedError(file: string): HotcellError {
  const message = `Could not open the session: another program uses its database ${quote(file)}. Close that program, or wait longer (--wait SECONDS, or waitMs in the library).`;
  return new HotcellError("LOCKED", message);
}

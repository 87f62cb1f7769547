// The database of an open session in mode `agentfs`. The layers are the session; the database follows them.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { createReadWriteLock, type ReadWriteLock } from "../../../core/read-write-lock.ts";
import { explainSqlErrors, inTransaction, removeDatabase, type SqlDatabase } from "../../agentfs/driver.ts";
import { type LockedDatabase, openLockedDatabase } from "../../agentfs/locked-database.ts";
import { keepSeen, type ReflectedLayers, writeReflected } from "../../agentfs/reflected-layers.ts";
import { createTables } from "../../agentfs/schema.ts";
import { areApart } from "../../files/state-dir.ts";
import type { SessionRecord } from "../../layers/record.ts";
import type { PendingNotes } from "./pending-notes.ts";

export interface SessionDatabase {
  readonly file: string;
  /** Replaced if somebody removes the file. */
  locked: LockedDatabase;
  /** Null if the database is of another session or another program, or others may have written it: then it is written anew. */
  reflected: ReflectedLayers | null;
  /** Orders the transactions of the session and of its values, which programs change while a call runs. */
  readonly alone: ReadWriteLock["alone"];
  readonly notes: PendingNotes;
}

/** The path of a new database that the user chose. Throws unless it can be created there. */
export function checkNewDatabase(given: string, project: string): string {
  const file = realPathOf(path.resolve(given));
  refuseInside(file, project);
  if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) return file;
  const next = `Continue its session with --session, create a session from it with hotcell session import, or give another name`;
  throw new HotcellError(
    "ALREADY_EXISTS",
    `Could not create the database ${quote(file)}: it exists. ${next}.`,
  );
}

/** No tool may reach the database. */
export function refuseInside(file: string, project: string): void {
  if (areApart(realPathOf(file), project)) return;
  const message = `Could not use the database ${quote(file)}: it is inside the project. Give a path outside it.`;
  throw new HotcellError("WORKSPACE_UNUSABLE", message);
}

function realPathOf(file: string): string {
  try {
    return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
  } catch {
    const message = `Could not use the database ${quote(file)}: its directory does not exist. Create it, or give another path.`;
    throw new HotcellError("NOT_FOUND", message);
  }
}

/** Opens the file and locks it. A new file gets its tables. */
export async function openSessionFile(
  file: string,
  { id, workspace }: Pick<SessionRecord, "id" | "workspace">,
  waitMs?: number,
): Promise<Omit<SessionDatabase, "notes">> {
  const locked = await openLockedDatabase(file, waitMs);
  const reflected: ReflectedLayers = { session: id, layers: [], isOpen: false };
  const fill = async () => fillNew(locked.db, workspace, reflected);
  if (locked.isNew) await explainSqlErrors(() => inTransaction(locked.db, fill));
  const { alone } = createReadWriteLock();
  return { file, locked, reflected, alone };
}

function fillNew(db: SqlDatabase, workspace: string, reflected: ReflectedLayers): void {
  createTables(db, workspace, fs.statSync(workspace).mode & 0o7777);
  writeReflected(db, reflected);
}

/** Creates the file again if somebody has removed it. */
export async function keepFile(
  database: SessionDatabase,
  record: Pick<SessionRecord, "id" | "workspace">,
): Promise<void> {
  const place = database.locked.place();
  if (place === "same") return;
  if (place === "other") throw replacedError(database.file);
  database.locked.close();
  removeDatabase(database.file);
  const { locked, reflected } = await openSessionFile(database.file, record);
  Object.assign(database, { locked, reflected });
}

function replacedError(file: string): HotcellError {
  const message = `Could not write the database ${quote(file)}: somebody has put another file in its place. Open the session again to take in that file's changes.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

export function closeSessionFile(database: SessionDatabase, dir: string): void {
  const isSame = database.locked.place() === "same";
  database.locked.close();
  if (isSame) trySeen(dir, database);
}

/** A file that is not written anew yet may have what the session did not take, such as a secret: the next open reads it again. It also does if this fails, as on a full disk. */
export function trySeen(dir: string, { file, reflected }: Pick<SessionDatabase, "file" | "reflected">): void {
  if (reflected === null) return;
  try {
    keepSeen(dir, file);
  } catch {
    // The description from before no longer fits.
  }
}

// Creates a session from an AgentFS database, which may come from anybody. It is read from a private copy: SQLite
// would use and change the files beside the original, whatever they are.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HotcellError, isOfSqlite } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { openRegularFile } from "../../core/open-regular-file.ts";
import { quote } from "../../core/quote.ts";
import { applyTree } from "../agentfs/apply-tree.ts";
import { CAREFUL, checkSchema } from "../agentfs/check-schema.ts";
import { openDatabase, reasonOf, removeDatabase, type SqlDatabase } from "../agentfs/driver.ts";
import { readKvTable } from "../agentfs/kv-table.ts";
import { type DatabaseTree, readDatabaseTree } from "../agentfs/read-database-tree.ts";
import { createSecretCheck } from "../agentfs/secret-check.ts";
import { findSelfRunning } from "../agentfs/self-running-entries.ts";
import type { LeftOut } from "../agentfs/write-entry.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { fdPath } from "../fs/paths.ts";
import type { SessionRecord } from "../layers/record.ts";
import { removeSession } from "../layers/session-dirs.ts";
import { type CreateOptions, createSession } from "./create-session.ts";
import { AGENTFS_CALL } from "./database/take-changes.ts";
import type { Session } from "./session-types.ts";

export interface ImportedSession {
  readonly record: SessionRecord;
  /** Entries and whiteouts that were taken. */
  readonly entries: number;
  /** Values by key that were taken. */
  readonly values: number;
  readonly leftOut: readonly LeftOut[];
  /** Paths that were taken and execute automatically. */
  readonly selfRunning: readonly string[];
  /** Why the changes could not be recorded yet; null if they are. */
  readonly warning: string | null;
}

/** Creates a session of the project with one layer. On failure there is no session. */
export async function importSession(
  file: string,
  workspace: string,
  options: CreateOptions,
): Promise<ImportedSession> {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-import-"));
  const database = path.join(copy, "database");
  try {
    await explainAsyncErrors("read", file, async () => copyDatabase(file, database));
    const db = await openDatabase(database);
    try {
      return await importFrom(db, file, workspace, options);
    } finally {
      db.close();
    }
  } finally {
    removeDatabase(database);
    fs.rmdirSync(copy);
  }
}

async function importFrom(
  db: SqlDatabase,
  file: string,
  workspace: string,
  options: CreateOptions,
): Promise<ImportedSession> {
  const refuse = (reason: string) => unusable(file, reason);
  const { tree, kv } = await guarded(refuse, async () => {
    db.exec(`${CAREFUL} PRAGMA query_only=ON;`);
    checkSchema(db, refuse, quote(file));
    const isSecret = createSecretCheck(options.protectionOf);
    return {
      tree: await runCooperatively(readDatabaseTree(db, isSecret, refuse)),
      kv: await runCooperatively(readKvTable(db, refuse)),
    };
  });
  const session = await createSession(workspace, options);
  try {
    const { result, warning } = await guarded(refuse, () => fill(session, tree, db));
    await session.replaceValues(kv.values);
    session.close();
    const leftOut = [...tree.leftOut, ...result, ...kv.leftOut];
    const { root, entries } = tree;
    const selfRunning = await runCooperatively(findSelfRunning(root, options.protectionOf));
    return { record: session.record, entries, values: kv.values.length, leftOut, selfRunning, warning };
  } catch (error) {
    session.close();
    removeSession(session.record.id, options.stateDir);
    throw error;
  }
}

const fill = (session: Session, { root }: DatabaseTree, db: SqlDatabase) =>
  session.change(AGENTFS_CALL, () => runCooperatively(applyTree(root, db, session.view)));

/** An error of SQLite says that the file is not a database, or damaged. */
async function guarded<T>(refuse: (reason: string) => HotcellError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isOfSqlite(error)) throw refuse(reasonOf(error));
    throw error;
  }
}

/** The database and its write-ahead log. */
function copyDatabase(file: string, to: string): void {
  if ((fs.statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw unusable(
      file,
      "its last transaction is not finished (it has a journal beside it). Open it with AgentFS once",
    );
  copyRegular(file, to);
  if (fs.existsSync(`${file}-wal`)) copyRegular(`${file}-wal`, `${to}-wal`);
}

function copyRegular(file: string, to: string): void {
  const opened = openRegularFile(file);
  if (opened === null) throw unusable(file, "it is not a file");
  const { fd, stat } = opened;
  try {
    if (stat.size > LIMITS.agentfs.maxBytes) throw unusable(file, "it is too large");
    fs.copyFileSync(fdPath(fd), to, fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL);
  } finally {
    fs.closeSync(fd);
  }
}

function unusable(file: string, reason: string): HotcellError {
  const message = `Could not import ${quote(file)}: ${reason.replace(/\.$/, "")}.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}

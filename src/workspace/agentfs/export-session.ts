// Writes a session's changes into a new AgentFS database.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { runPaths } from "../../log/runs.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { syncDirectory } from "../fs/sync.ts";
import { readKeyValues } from "../kv/key-value-file.ts";
import { type SessionRecord, sessionDir } from "../layers/record.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { openDelta } from "./delta.ts";
import { explainSqlErrors, inTransaction, openDatabase, removeDatabase, type SqlDatabase } from "./driver.ts";
import { writeKvTable } from "./kv-table.ts";
import { createTables, prepareToWrite } from "./schema.ts";
import { createSecretCheck } from "./secret-check.ts";
import { withSessionTrees } from "./session-trees.ts";
import { NO_CALLS, writeToolCalls } from "./tool-calls.ts";
import type { WrittenView } from "./write-entry.ts";
import { writeView } from "./write-view.ts";

export interface ExportedSession extends WrittenView {
  readonly values: number;
  readonly calls: number;
}

/** The caller holds the session, so that nobody changes its layers meanwhile. The file must not exist; it appears whole or not at all. */
export async function exportSession(
  record: SessionRecord,
  store: SessionStore,
  file: string,
): Promise<ExportedSession> {
  if (fs.existsSync(file)) throw exists(file);
  const made = `${file}.${randomBytes(4).toString("hex")}.new`;
  try {
    return await explainAsyncErrors("write", file, async () => {
      fs.closeSync(fs.openSync(made, "wx", 0o600));
      const written = await fillDatabase(made, record, store);
      publish(made, file);
      return written;
    });
  } finally {
    removeDatabase(made);
  }
}

async function fillDatabase(
  made: string,
  record: SessionRecord,
  store: SessionStore,
): Promise<ExportedSession> {
  const db = await openDatabase(made);
  try {
    return await explainSqlErrors(async () => {
      prepareToWrite(db);
      const written = await inTransaction(db, () => writeSession(db, record, store));
      // libsql leaves the log in place when it closes a database.
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return written;
    });
  } finally {
    db.close();
  }
}

async function writeSession(
  db: SqlDatabase,
  record: SessionRecord,
  store: SessionStore,
): Promise<ExportedSession> {
  const { id } = record;
  const { stateDir } = store;
  const written = await writeLayers(db, record, store);
  const values = readKeyValues(sessionDir(stateDir, id));
  writeKvTable(db, values);
  await runCooperatively(writeToolCalls(db, runPaths(stateDir, id), NO_CALLS));
  const calls = db.prepare("SELECT count(*) AS count FROM tool_calls").get()!.count as number;
  return { ...written, values: values.length, calls };
}

function writeLayers(db: SqlDatabase, record: SessionRecord, store: SessionStore): Promise<WrittenView> {
  return withSessionTrees(record, store, async ({ trees, options, project }) => {
    const { uid, gid, mode } = fs.fstatSync(project.fd);
    createTables(db, record.workspace, mode & 0o7777);
    const delta = openDelta(db, { uid, gid });
    return runCooperatively(writeView(trees, options, createSecretCheck(store.protectionOf), delta));
  });
}

/** Fails if somebody has created the file meanwhile. */
function publish(made: string, file: string): void {
  try {
    fs.linkSync(made, file);
  } catch (error) {
    if (osErrorCode(error) === "EEXIST") throw exists(file);
    // A file system without hard links.
    fs.renameSync(made, file);
  }
  syncDirectory(path.dirname(file));
}

function exists(file: string): HotcellError {
  return new HotcellError(
    "ALREADY_EXISTS",
    `Could not export to ${quote(file)}: it exists. Give another name, or remove it.`,
  );
}

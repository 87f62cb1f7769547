// The values of a session by key in its database. The session's own file is the truth; the database follows it.
import { hash } from "node:crypto";
import { HotcellError } from "../../../core/errors.ts";
import { explainSqlErrors, inTransaction } from "../../agentfs/driver.ts";
import { changeKvTable, readKvTable } from "../../agentfs/kv-table.ts";
import { unusable } from "../../agentfs/locked-database.ts";
import { keepTables } from "../../agentfs/schema.ts";
import { readSessionRow, writeSessionRow } from "../../agentfs/session-rows.ts";
import { hasTable } from "../../agentfs/untrusted-rows.ts";
import { runCooperatively } from "../../fs/cooperative.ts";
import { explainAsyncErrors } from "../../fs/os-error.ts";
import type { StoredValue } from "../../kv/key-value-store.ts";
import type { SessionState } from "../session-state.ts";
import { keepFile, type SessionDatabase, trySeen } from "./session-database.ts";

const ROW = "values";

/** Takes what others changed in the database. If the session has changes that the database does not have, both are kept; at the same key the database's value is taken. */
export async function takeValues({ kv }: SessionState, database: SessionDatabase): Promise<void> {
  if (!hasTable(database.locked.db, "kv_store")) return;
  const found = await readTable(database);
  const written = readSessionRow(database.locked.db, ROW) ?? digestOf([]);
  database.notes.addEntries("The session did not take from the database", found.leftOut);
  if (digestOf(found.values) === written) return;
  const own = kv.list("");
  const base = digestOf(own) === written ? [] : own;
  kv.replaceAll([...new Map([...base, ...found.values].map((value) => [value.key, value])).values()]);
}

/** Writes the values, unless the database has them. What cannot be written is written later. */
export async function followValues(state: SessionState): Promise<void> {
  const { database } = state;
  if (database === null) return;
  try {
    await database.alone(() =>
      explainAsyncErrors("write", database.file, () => explainSqlErrors(() => writeValues(state, database))),
    );
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    database.notes.add(
      `${error.message} The session has the values. The next one that is set, or the next open, writes them.`,
    );
  }
}

/** Whether its values were ever written: not if the file has just been created again. */
export const hasValues = ({ locked }: SessionDatabase): boolean => readSessionRow(locked.db, ROW) !== null;

async function writeValues({ kv, record, dir }: SessionState, database: SessionDatabase): Promise<void> {
  await keepFile(database, record);
  const { db } = database.locked;
  const wanted = kv.list("");
  const digest = digestOf(wanted);
  if (readSessionRow(db, ROW) === digest && hasTable(db, "kv_store")) return;
  const { values } = await readTable(database);
  await inTransaction(db, async () => {
    keepTables(db);
    changeKvTable(db, values, wanted);
    writeSessionRow(db, ROW, digest);
  });
  trySeen(dir, database);
}

const readTable = ({ locked, file }: SessionDatabase) =>
  runCooperatively(readKvTable(locked.db, (reason) => unusable(file, reason)));

function digestOf(values: readonly StoredValue[]): string {
  const sorted = values.map(({ key, text }) => [key, text]).sort(([a], [b]) => (a! < b! ? -1 : 1));
  return hash("sha256", JSON.stringify(sorted), "hex");
}

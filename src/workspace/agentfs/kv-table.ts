// The table `kv_store`: the values of a session by key.

import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { type StoredValue, storedBytes } from "../kv/key-value-store.ts";
import { hasRoom, problemOf } from "../kv/key-values.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import {
  createTreeBudget,
  hasTable,
  integerColumn,
  type Refuse,
  rowsOf,
  textColumn,
  textIn,
} from "./untrusted-rows.ts";
import type { LeftOut } from "./write-entry.ts";

const { maxKeyBytes, maxValueBytes } = LIMITS.kv;

export function writeKvTable(db: SqlDatabase, values: readonly StoredValue[]): void {
  const insert = db.prepare("INSERT INTO kv_store (key, value, created_at, updated_at) VALUES (?, ?, ?, ?)");
  for (const { key, text, createdAt, updatedAt } of values) insert.run(key, text, createdAt, updatedAt);
}

/** Makes a table that has these values have others. Rows beside them stay. */
export function changeKvTable(
  db: SqlDatabase,
  has: readonly StoredValue[],
  wanted: readonly StoredValue[],
): void {
  const remove = db.prepare("DELETE FROM kv_store WHERE key = ?");
  const old = new Map(has.map(({ key, text }) => [key, text]));
  const keys = new Set(wanted.map(({ key }) => key));
  const changed = wanted.filter(({ key, text }) => old.get(key) !== text);
  for (const { key } of [...has.filter(({ key }) => !keys.has(key)), ...changed]) remove.run(key);
  writeKvTable(db, changed);
}

interface ReadValues {
  readonly values: readonly StoredValue[];
  readonly leftOut: readonly LeftOut[];
}

/** The values of a database from elsewhere. Those that a session cannot keep are left out. */
export function* readKvTable(db: SqlDatabase, refuse: Refuse): Cooperative<ReadValues> {
  const values: StoredValue[] = [];
  const leftOut: LeftOut[] = [];
  if (!hasTable(db, "kv_store")) return { values, leftOut };
  const columns = [
    `${textColumn("key", maxKeyBytes)} AS key`,
    `${textColumn("value", maxValueBytes)} AS value`,
    `${integerColumn("created_at")} AS created`,
    `${integerColumn("updated_at")} AS updated`,
  ];
  const now = Math.floor(Date.now() / 1000);
  const keep = createTreeBudget(refuse);
  let bytes = 0;
  for (const row of rowsOf(db, `SELECT ${columns} FROM kv_store`, refuse)) {
    yield;
    const { key, value, created, updated } = row;
    const keyText = key === null ? null : textIn(blobOf(key!));
    const valueText = value === null ? null : textIn(blobOf(value!));
    const leaveOut = (reason: string) => {
      const path = `kv_store: ${keyText ?? "?"}`;
      keep(1, path.length);
      leftOut.push({ path, reason });
    };
    if (keyText === null || valueText === null) {
      leaveOut("its key or its value is not text, or is too long");
      continue;
    }
    const createdAt = (created as number | null) ?? now;
    const stored = {
      key: keyText,
      text: valueText,
      createdAt,
      updatedAt: (updated as number | null) ?? createdAt,
    };
    const problem = problemOf(stored);
    if (problem !== null) leaveOut(problem);
    else if (!hasRoom({ count: values.length + 1, bytes: bytes + storedBytes(stored) }))
      leaveOut("a session has no room for more values");
    else {
      values.push(stored);
      bytes += storedBytes(stored);
    }
  }
  return { values, leftOut };
}

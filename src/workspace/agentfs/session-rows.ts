// hotcell's own table in the database of a session. Somebody may have changed the rows: their readers check them.
import { blobOf, type SqlDatabase } from "./driver.ts";
import { hasTable, textColumn, textIn } from "./untrusted-rows.ts";

const MAX_BYTES = 16 * 1024 * 1024;

export function writeSessionRow(db: SqlDatabase, key: string, value: unknown): void {
  db.exec("CREATE TABLE IF NOT EXISTS hotcell_session (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
  const set = db.prepare("INSERT OR REPLACE INTO hotcell_session (key, value) VALUES (?, ?)");
  set.run(key, JSON.stringify(value));
}

/** Null if there is none, or it is not JSON. */
export function readSessionRow(db: SqlDatabase, key: string): unknown {
  if (!hasTable(db, "hotcell_session")) return null;
  const find = db.prepare(
    `SELECT ${textColumn("value", MAX_BYTES)} AS value FROM hotcell_session WHERE key = ?`,
  );
  try {
    return JSON.parse(textIn(blobOf(find.get(key)?.value)) ?? "null");
  } catch {
    return null;
  }
}

// hotcell's own table in the database of a session. Somebody may have changed the rows: their readers check them.
import type { SqlDatabase } from "./driver.ts";
import { hasTable } from "./untrusted-rows.ts";

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
    `SELECT value FROM hotcell_session WHERE key = ? AND typeof(value) = 'text' AND octet_length(value) <= ${MAX_BYTES}`,
  );
  try {
    return JSON.parse(String(find.get(key)?.value));
  } catch {
    return null;
  }
}

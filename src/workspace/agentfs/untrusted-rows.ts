// Rows of a database from elsewhere: any column may hold any type and any length.
import type { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { SqlDatabase, SqlRow } from "./driver.ts";

export type Refuse = (reason: string) => HotcellError;

const { maxEntries } = LIMITS.agentfs;

/** An integer that a number holds exactly, or null. */
export const integerColumn = (column: string): string =>
  `CASE WHEN typeof(${column}) = 'integer' AND ${column} BETWEEN 0 AND 9007199254740991 THEN ${column} END`;

/** Text as bytes, up to a length, or null. */
export const textColumn = (column: string, maxBytes: number): string =>
  `CASE WHEN typeof(${column}) = 'text' AND octet_length(${column}) <= ${maxBytes} THEN CAST(${column} AS BLOB) END`;

export function* rowsOf(db: SqlDatabase, query: string, refuse: Refuse): Generator<SqlRow> {
  let count = 0;
  for (const row of db.prepare(query).iterate()) {
    if (++count > maxEntries) throw refuse(`it has more than ${maxEntries} entries`);
    yield row;
  }
}

/** Null unless it is UTF-8 and not empty. */
export function textIn(bytes: Buffer | null): string | null {
  if (bytes === null || bytes.length === 0) return null;
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}

/** AgentFS makes some tables only when it uses them. */
export function hasTable(db: SqlDatabase, name: string): boolean {
  const find = db.prepare("SELECT 1 AS yes FROM sqlite_schema WHERE type = 'table' AND lower(name) = ?");
  return find.get(name) !== undefined;
}

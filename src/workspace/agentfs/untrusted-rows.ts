// Rows of a database from elsewhere: any column may hold any type and any length.
import type { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { SqlDatabase, SqlRow } from "./driver.ts";

export type Refuse = (reason: string) => HotcellError;

const { maxEntries, maxPathBytes } = LIMITS.agentfs;

/** An integer that a number holds exactly, or null. */
export const integerColumn = (column: string): string =>
  `CASE WHEN typeof(${column}) = 'integer' AND ${column} BETWEEN 0 AND 9007199254740991 THEN ${column} END`;

/** Text as bytes, up to a length, or null. */
export const textColumn = (column: string, maxBytes: number): string =>
  `CASE WHEN typeof(${column}) = 'text' AND octet_length(${column}) <= ${maxBytes} THEN CAST(${column} AS BLOB) END`;

export function* rowsOf(db: SqlDatabase, query: string, refuse: Refuse): Generator<SqlRow> {
  let count = 0;
  for (const row of db.prepare(query).iterate()) {
    if (++count > maxEntries) throw tooMany(refuse);
    yield row;
  }
}

const tooMany = (refuse: Refuse): HotcellError => refuse(`it has more than ${maxEntries} entries`);

/** Counts what is kept in memory. A path may be longer than its row, because a row has one name. */
export function createTreeBudget(refuse: Refuse): (entries: number, pathBytes: number) => void {
  let [entries, bytes] = [0, 0];
  return (moreEntries, moreBytes) => {
    entries += moreEntries;
    bytes += moreBytes;
    if (entries > maxEntries) throw tooMany(refuse);
    if (bytes > maxPathBytes)
      throw refuse(`the paths of its entries have more than ${maxPathBytes} bytes together`);
  };
}

export type TreeBudget = ReturnType<typeof createTreeBudget>;

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

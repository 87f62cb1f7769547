// Checks the tables of a database from elsewhere before anything is read from them. A schema is code: views, triggers,
// virtual tables, generated columns and checks would run while we read.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import { FORMAT } from "./schema.ts";
import { textColumn } from "./untrusted-rows.ts";

/** Functions in the schema are not run, and cells are checked. */
export const CAREFUL = "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;";

/** The columns that are read, and those of them that are the primary key: a lookup by it takes no search. */
const READ: Readonly<Record<string, { readonly columns: string; readonly key: string }>> = {
  fs_config: { columns: "key value", key: "key" },
  fs_inode: { columns: "ino mode size mtime mtime_nsec", key: "ino" },
  fs_dentry: { columns: "name parent_ino ino", key: "id" },
  fs_data: { columns: "ino chunk_index data", key: "ino chunk_index" },
  fs_symlink: { columns: "ino target", key: "ino" },
};
const READ_IF_PRESENT: typeof READ = {
  fs_whiteout: { columns: "path", key: "path" },
  hotcell_session: { columns: "key value", key: "key" },
  kv_store: { columns: "key value created_at updated_at", key: "key" },
};
/** Tables that are only written. Their columns differ between AgentFS's programs. */
const WRITTEN = ["tool_calls", "fs_origin"];

/** Everything in the definition of a table of AgentFS beside its names. */
const PLAIN_WORDS = new Set(
  "create table unique index if not exists on integer text blob primary key autoincrement null default unixepoch without rowid strict".split(
    " ",
  ),
);
const MAX_SQL_BYTES = 4096;
const MAX_OBJECTS = 1000;

/** Throws unless all tables that are read are plain tables of the format. */
export function checkSchema(db: SqlDatabase, refuse: (reason: string) => HotcellError, file: string): void {
  const objects = readObjects(db);
  if (objects.length > MAX_OBJECTS) throw refuse(`it has more than ${MAX_OBJECTS} tables`);
  const known = { ...READ, ...READ_IF_PRESENT };
  for (const { type, name, sql } of objects) {
    if (type === "view" || type === "trigger") throw refuse(`it has a ${type}`);
    if (!WRITTEN.includes(name) && !Object.hasOwn(known, name)) continue;
    if (sql === null || !isPlain(sql)) throw refuse(`the table ${name} is not a plain table`);
  }
  const has = (name: string) => objects.some((object) => object.type === "table" && object.name === name);
  for (const table of Object.keys(READ)) if (!has(table)) throw refuse(`it has no table ${table}`);
  checkFormat(db, file);
  for (const [table, wanted] of Object.entries(known)) if (has(table)) checkTable(db, table, wanted, refuse);
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** Null if it is too long. */
  readonly sql: string | null;
}

/** SQLite takes the types and names in capitals too. An automatic index has no SQL. */
function readObjects(db: SqlDatabase): SchemaObject[] {
  const columns = [
    `${textColumn("lower(type)", LIMITS.maxNameBytes)} AS type`,
    `${textColumn("lower(tbl_name)", LIMITS.maxNameBytes)} AS name`,
    `${textColumn("coalesce(sql, '')", MAX_SQL_BYTES)} AS sql`,
  ];
  const rows = db.prepare(`SELECT ${columns} FROM sqlite_schema LIMIT ${MAX_OBJECTS + 1}`).iterate();
  return Array.from(rows, ({ type, name, sql }) => ({
    type: blobOf(type).toString(),
    name: blobOf(name).toString(),
    sql: sql === null ? null : blobOf(sql).toString(),
  }));
}

/** Words, numbers, quoted names, an empty text, a default in single quotes, parentheses and commas. */
function isPlain(sql: string): boolean {
  const rest = sql.replace(/"\w+"|`\w+`|\[\w+\]|'\w*'/g, " ");
  if (!/^[\w\s(),]*$/.test(rest)) return false;
  const words = rest.toLowerCase().match(/[a-z_]\w*/g) ?? [];
  return words.every(
    (word) =>
      PLAIN_WORDS.has(word) ||
      /^(idx_)?(fs_\w+|kv_\w+|tool_calls\w*|hotcell_\w+)$/.test(word) ||
      COLUMNS.has(word),
  );
}

const COLUMNS = new Set(
  "key value ino mode nlink uid gid size atime mtime ctime rdev atime_nsec mtime_nsec ctime_nsec id name parent_ino chunk_index data target path parent_path delta_ino base_ino created_at updated_at parameters result error status started_at completed_at duration_ms".split(
    " ",
  ),
);

function checkFormat(db: SqlDatabase, file: string): void {
  const row = db
    .prepare(
      "SELECT CAST(value AS BLOB) AS value FROM fs_config WHERE key = 'schema_version' AND octet_length(value) < 20",
    )
    .get();
  const version = blobOf(row?.value)
    .toString("latin1")
    .replace(/[^\w.]/g, "?");
  if (version === FORMAT) return;
  const found = version === "" ? "an older one" : version;
  const message = `Could not read ${file}: hotcell reads version ${FORMAT} of the AgentFS format, and this file has ${found}. If it is older, run: agentfs migrate FILE`;
  throw new HotcellError("NOT_SUPPORTED", message);
}

function checkTable(
  db: SqlDatabase,
  table: string,
  { columns, key }: { readonly columns: string; readonly key: string },
  refuse: (reason: string) => HotcellError,
): void {
  const name = textColumn("lower(name)", LIMITS.maxNameBytes);
  const rows = db.prepare(`SELECT ${name} AS name, pk, hidden FROM pragma_table_xinfo('${table}')`).iterate();
  const found = Array.from(rows, ({ name, pk, hidden }) => ({ name: blobOf(name).toString(), pk, hidden }));
  const keys = found.filter(({ pk }) => pk !== 0).sort((a, b) => (a.pk as number) - (b.pk as number));
  const isKnown = columns.split(" ").every((column) => found.some(({ name }) => name === column));
  const isKeyed = keys.map(({ name }) => name).join(" ") === key;
  if (!isKnown || !isKeyed || found.some(({ hidden }) => hidden !== 0))
    throw refuse(`the table ${table} has other columns than the format`);
  const check = db.prepare(`SELECT quick_check = 'ok' AS yes FROM pragma_quick_check('${table}')`).get();
  if (check?.yes !== 1) throw refuse("it is damaged");
}

// AgentFS databases that somebody made to do harm, or that are broken: each is a valid one with one statement more.

export interface HostileDatabase {
  readonly name: string;
  /** Statements on a database that has the directory `dir` (ino 2) and the file `dir/good` (ino 3). */
  readonly sql: string;
  /** What the import says: why it refuses the file, or what it leaves out. */
  readonly refused?: RegExp;
  readonly leftOut?: readonly string[];
  /** What it takes and names, because it executes automatically. */
  readonly selfRunning?: readonly string[];
}

const entry = (name: string, mode: string | number, size: string | number = 0): string => `
  INSERT INTO fs_inode (ino, mode, nlink, size, atime, mtime, ctime) VALUES (9, ${mode}, 1, ${size}, 0, 0, 0);
  INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (${name}, 1, 9);`;
const FILE = 0o100644;
const named = (name: string): string => entry(name, FILE);
const valued = (key: string, value: string): string =>
  `INSERT INTO kv_store (key, value) VALUES (${key}, ${value})`;
const replaced = (table: string, sql: string): string =>
  `ALTER TABLE ${table} RENAME TO old_${table.slice(3)}; ${sql}`;

export const HOSTILE_DATABASES: readonly HostileDatabase[] = [
  { name: "a name with a slash", sql: named("'a/b'"), leftOut: ["a/b"] },
  { name: "a name that leads up", sql: named("'..'"), leftOut: [".."] },
  {
    name: "a path that leads up as a name",
    sql: named("'../../outside/canary'"),
    leftOut: ["../../outside/canary"],
  },
  { name: "an absolute name", sql: named("'/etc/passwd'"), leftOut: ["/etc/passwd"] },
  { name: "a dot as a name", sql: named("'.'"), leftOut: ["."] },
  { name: "an empty name", sql: named("''"), leftOut: ["?"] },
  { name: "a name with a NUL", sql: named("CAST(x'610062' AS TEXT)"), leftOut: ["a\0b"] },
  { name: "a name that is not UTF-8", sql: named("CAST(x'ff61' AS TEXT)"), leftOut: ["?"] },
  { name: "a name of bytes", sql: named("x'61'"), leftOut: ["?"] },
  { name: "a name of 256 bytes", sql: named(`'${"n".repeat(256)}'`), leftOut: ["?"] },
  { name: "a temporary file of hotcell", sql: named("'.hotcell-tmp-1'"), leftOut: [".hotcell-tmp-1"] },
  {
    name: "a directory inside itself",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('loop', 2, 2)",
    leftOut: ["dir/loop"],
  },
  {
    name: "the root inside a directory",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('loop', 2, 1)",
    leftOut: ["dir/loop"],
  },
  {
    name: "a directory with two names",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('dir2', 1, 2)",
    leftOut: ["dir2"],
  },
  {
    name: "a name without an inode",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('none', 1, 77)",
    leftOut: ["none"],
  },
  {
    name: "a name with a text as inode",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('none', 1, 'x')",
    leftOut: ["none"],
  },
  {
    name: "a name whose inode is too large for a number",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('none', 1, 9223372036854775807)",
    leftOut: ["none"],
  },
  {
    name: "a name with the largest number",
    sql: "INSERT INTO fs_dentry (id, name, parent_ino, ino) VALUES (9223372036854775807, 'out', 1, 3)",
    leftOut: [],
  },
  {
    name: "an inode with the largest number",
    sql: "INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (9223372036854775807, 33188, 1, 0, 0, 0)",
    leftOut: [],
  },
  {
    name: "a file with more names than it counts",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('out', 1, 3)",
    leftOut: [],
  },
  {
    name: "an entry below a file",
    sql: "INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('below', 3, 2)",
    leftOut: [],
  },
  {
    name: "a root that is a file",
    sql: "UPDATE fs_inode SET mode = 33188 WHERE ino = 1",
    refused: /no root directory/,
  },
  { name: "no root", sql: "DELETE FROM fs_inode WHERE ino = 1", refused: /no root directory/ },
  {
    name: "a size above the content",
    sql: "UPDATE fs_inode SET size = 5000 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  {
    name: "a size below the content",
    sql: "UPDATE fs_inode SET size = 1 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  {
    name: "a size of exabytes without content",
    sql: entry("'huge'", FILE, "4611686018427387904"),
    leftOut: ["huge"],
  },
  {
    name: "a size of petabytes without content",
    sql: entry("'huge'", FILE, "4503599627370496"),
    leftOut: ["huge"],
  },
  { name: "a negative size", sql: entry("'huge'", FILE, -1), leftOut: ["huge"] },
  {
    name: "a missing first chunk",
    sql: "UPDATE fs_data SET chunk_index = 1 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  {
    name: "a missing chunk in the middle",
    sql: "INSERT INTO fs_data VALUES (3, 2, zeroblob(4096)); UPDATE fs_inode SET size = 4100 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  {
    name: "a short chunk in the middle",
    sql: "INSERT INTO fs_data VALUES (3, 1, zeroblob(4096)); UPDATE fs_inode SET size = 4100 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  {
    name: "a negative chunk",
    sql: "INSERT INTO fs_data VALUES (3, -1, zeroblob(4096))",
    leftOut: ["dir/good"],
  },
  {
    name: "a chunk longer than its size",
    sql: "UPDATE fs_data SET data = zeroblob(9000); UPDATE fs_inode SET size = 9000 WHERE ino = 3",
    leftOut: ["dir/good"],
  },
  { name: "a chunk of text", sql: "UPDATE fs_data SET data = 'good'", leftOut: ["dir/good"] },
  {
    name: "a chunk size of zero",
    sql: "UPDATE fs_config SET value = '0' WHERE key = 'chunk_size'",
    refused: /chunk size/,
  },
  {
    name: "a chunk size that is no number",
    sql: "UPDATE fs_config SET value = 'many' WHERE key = 'chunk_size'",
    refused: /chunk size/,
  },
  {
    name: "a huge chunk size",
    sql: "UPDATE fs_config SET value = '999999999' WHERE key = 'chunk_size'",
    refused: /chunk size/,
  },
  { name: "a block device", sql: entry("'disk'", 0o060644), leftOut: ["disk"] },
  { name: "a character device", sql: entry("'null'", 0o020666), leftOut: ["null"] },
  { name: "a FIFO", sql: entry("'fifo'", 0o010644), leftOut: ["fifo"] },
  { name: "a socket", sql: entry("'socket'", 0o140644), leftOut: ["socket"] },
  { name: "a mode without a kind", sql: entry("'odd'", 0o644), leftOut: ["odd"] },
  { name: "a mode of text", sql: entry("'odd'", "'rw'"), leftOut: ["odd"] },
  { name: "a setuid program", sql: entry("'su'", 0o104755), leftOut: ["su"] },
  { name: "a setgid directory", sql: entry("'sg'", 0o042755), leftOut: ["sg"] },
  { name: "a secret", sql: named("'.env'"), leftOut: [".env"] },
  { name: "a directory of secrets", sql: entry("'.ssh'", 0o040755), leftOut: [".ssh"] },
  {
    name: "a whiteout of a secret",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES ('/.env', 0)",
    leftOut: [".env"],
  },
  { name: "a file that a shell runs", sql: named("'.envrc'"), selfRunning: [".envrc"] },
  {
    name: "a link as a directory of editor settings",
    sql: `${entry("'.vscode'", 0o120777)} INSERT INTO fs_symlink VALUES (9, 'dir')`,
    selfRunning: [".vscode"],
  },
  { name: "a link without a target", sql: entry("'link'", 0o120777), leftOut: ["link"] },
  {
    name: "a link with an empty target",
    sql: `${entry("'link'", 0o120777)} INSERT INTO fs_symlink VALUES (9, '')`,
    leftOut: ["link"],
  },
  {
    name: "a link with a NUL in its target",
    sql: `${entry("'link'", 0o120777)} INSERT INTO fs_symlink VALUES (9, CAST(x'610062' AS TEXT))`,
    leftOut: ["link"],
  },
  {
    name: "a link with a target of 5,000 bytes",
    sql: `${entry("'link'", 0o120777)} INSERT INTO fs_symlink VALUES (9, '${"t".repeat(5000)}')`,
    leftOut: ["link"],
  },
  {
    name: "an entry below a link that leads outside",
    sql: `${entry("'out'", 0o120777)} INSERT INTO fs_symlink VALUES (9, '../outside'); INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('canary', 9, 3)`,
    leftOut: [],
  },
  {
    name: "a whiteout that leads up",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES ('/../outside/canary', 0)",
    leftOut: ["/../outside/canary"],
  },
  {
    name: "a whiteout without a slash",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES ('kept', 0)",
    leftOut: ["kept"],
  },
  {
    name: "a whiteout of everything",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES ('/', 0)",
    leftOut: ["/"],
  },
  {
    name: "a whiteout of bytes",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES (x'2f6b657074', 0)",
    leftOut: ["?"],
  },
  {
    name: "a whiteout over an entry",
    sql: "INSERT INTO fs_whiteout (path, created_at) VALUES ('/dir/good', 0)",
    leftOut: ["dir/good"],
  },
  {
    name: "whiteouts in more than a million directories",
    sql: `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 17000)
      INSERT INTO fs_whiteout (path, created_at) SELECT '/' || n || replace(hex(zeroblob(60)), '00', '/a'), 0 FROM n`,
    refused: /it has more than 1000000 entries/,
  },
  {
    name: "a deep directory of which each entry has a long path",
    sql: `WITH RECURSIVE n(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < 115)
      INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) SELECT n, 16877, 1, 0, 0, 0 FROM n;
      INSERT INTO fs_dentry (name, parent_ino, ino) SELECT hex(zeroblob(120)), CASE ino WHEN 100 THEN 1 ELSE ino - 1 END, ino FROM fs_inode WHERE ino >= 100;
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 36000)
      INSERT INTO fs_dentry (name, parent_ino, ino) SELECT n, 115, 3 FROM n`,
    refused: /the paths of its entries have more than 134217728 bytes together/,
  },
  { name: "a value that is not JSON", sql: valued("'k'", "'{'"), leftOut: ["kv_store: k"] },
  { name: "a value with a key twice", sql: valued("'k'", `'{"a":1,"a":2}'`), leftOut: ["kv_store: k"] },
  {
    name: "a value that reaches for a prototype",
    sql: valued("'k'", `'{"__proto__":{"isAdmin":true}}'`),
    leftOut: ["kv_store: k"],
  },
  {
    name: "a value nested 100,000 times",
    sql: valued("'k'", `'${"[".repeat(100_000)}${"]".repeat(100_000)}'`),
    leftOut: ["kv_store: k"],
  },
  { name: "a value of bytes", sql: valued("'k'", "x'31'"), leftOut: ["kv_store: k"] },
  {
    name: "a value that is not UTF-8",
    sql: valued("'k'", "CAST(x'22ff22' AS TEXT)"),
    leftOut: ["kv_store: k"],
  },
  {
    name: "a value of two megabytes",
    sql: valued("'k'", "'\"' || hex(zeroblob(1000000)) || '\"'"),
    leftOut: ["kv_store: k"],
  },
  { name: "an empty value", sql: valued("'k'", "''"), leftOut: ["kv_store: k"] },
  { name: "an empty key", sql: valued("''", "'1'"), leftOut: ["kv_store: ?"] },
  { name: "a key of bytes", sql: valued("x'6b'", "'1'"), leftOut: ["kv_store: ?"] },
  { name: "a missing key", sql: valued("NULL", "'1'"), leftOut: ["kv_store: ?"] },
  { name: "a key with a NUL", sql: valued("CAST(x'610062' AS TEXT)", "'1'"), leftOut: ["kv_store: a\0b"] },
  { name: "a key of 2,000 bytes", sql: valued("hex(zeroblob(1000))", "'1'"), leftOut: ["kv_store: ?"] },
  {
    name: "values beyond the limit of a session",
    sql: `WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 9)
      INSERT INTO kv_store (key, value) SELECT n, '"' || hex(zeroblob(500000)) || '"' FROM n`,
    leftOut: ["kv_store: 8", "kv_store: 9"],
  },
  {
    name: "a value from the end of time",
    sql: "INSERT INTO kv_store VALUES ('k', '1', 9223372036854775807, 'never')",
    leftOut: [],
  },
  {
    name: "a check in the table of values",
    sql: replaced(
      "kv_store",
      "CREATE TABLE kv_store (key TEXT PRIMARY KEY, value TEXT NOT NULL CHECK (length(hex(zeroblob(500000000))) > 0), created_at INTEGER, updated_at INTEGER)",
    ),
    refused: /kv_store is not a plain table/,
  },
  {
    name: "an index on an expression of the table of values",
    sql: "CREATE INDEX idx_kv_slow ON kv_store(length(hex(zeroblob(500000000))))",
    refused: /kv_store is not a plain table/,
  },
  {
    name: "values without a key",
    sql: replaced(
      "kv_store",
      "CREATE TABLE kv_store (key TEXT, value TEXT, created_at INTEGER, updated_at INTEGER)",
    ),
    refused: /kv_store has other columns/,
  },
  {
    name: "values as a view",
    sql: replaced(
      "kv_store",
      "CREATE VIEW kv_store AS SELECT 1 AS key, 1 AS value, 1 AS created_at, 1 AS updated_at",
    ),
    refused: /it has a view/,
  },
  {
    name: "calls of text, bytes and nonsense, which are not read",
    sql: `INSERT INTO tool_calls (name, parameters, result, error, status, started_at, duration_ms)
      VALUES (x'ff', '{', zeroblob(1000), '\u001b[31m', 'owned', 'yesterday', -1)`,
    leftOut: [],
  },
  {
    name: "a call with the largest number",
    sql: "INSERT INTO tool_calls (id, name, started_at) VALUES (9223372036854775806, 'x', 0)",
    leftOut: [],
  },
  {
    name: "a row of hotcell that is not UTF-8",
    sql: `CREATE TABLE IF NOT EXISTS hotcell_session (key TEXT PRIMARY KEY, value TEXT NOT NULL);
      INSERT OR REPLACE INTO hotcell_session SELECT column1, CAST(x'ff' AS TEXT) FROM (VALUES ('reflects'), ('values'), ('calls'))`,
    leftOut: [],
  },
  {
    name: "a table whose definition is not UTF-8",
    sql: `CREATE TABLE other (x); PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET sql = CAST('CREATE TABLE other (x /*' || x'ff' || '*/)' AS TEXT) WHERE name = 'other'`,
    leftOut: [],
  },
  {
    name: "a table whose name is not UTF-8",
    sql: `CREATE TABLE other (x); PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET name = CAST(x'6fff' AS TEXT), tbl_name = CAST(x'6fff' AS TEXT),
        sql = CAST('CREATE TABLE o' || x'ff' || '(x)' AS TEXT) WHERE name = 'other'`,
    leftOut: [],
  },
  {
    name: "a column whose name is not UTF-8",
    sql: `PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'rdev', CAST('"r' || x'ff' || '"' AS TEXT)) WHERE name = 'fs_inode'`,
    refused: /fs_inode is not a plain table/,
  },
  {
    name: "a mode that is text, but not UTF-8",
    sql: entry("'odd'", "CAST(x'ff' AS TEXT)"),
    leftOut: ["odd"],
  },
  {
    name: "a trigger on calls",
    sql: "CREATE TRIGGER t AFTER INSERT ON tool_calls BEGIN DELETE FROM fs_dentry; END",
    refused: /it has a trigger/,
  },
  {
    name: "a trigger",
    sql: "CREATE TRIGGER t AFTER UPDATE ON fs_inode BEGIN DELETE FROM fs_dentry; END",
    refused: /it has a trigger/,
  },
  {
    name: "a trigger that calls itself by its kind in capitals",
    sql: `CREATE TRIGGER t AFTER INSERT ON fs_origin BEGIN DELETE FROM fs_dentry; END; PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET type = 'TRIGGER' WHERE name = 't'`,
    refused: /it has a trigger/,
  },
  {
    name: "a check in the table of origins, which is only written",
    sql: replaced(
      "fs_origin",
      "CREATE TABLE fs_origin (delta_ino INTEGER PRIMARY KEY, base_ino INTEGER CHECK (length(hex(zeroblob(500000000))) > 0))",
    ),
    refused: /fs_origin is not a plain table/,
  },
  {
    name: "a view in place of a table",
    sql: replaced(
      "fs_symlink",
      "CREATE VIEW fs_symlink AS WITH RECURSIVE n(ino) AS (SELECT 1 UNION ALL SELECT ino + 1 FROM n) SELECT ino, 'x' AS target FROM n",
    ),
    refused: /it has a view/,
  },
  {
    name: "a generated column",
    sql: replaced(
      "fs_symlink",
      "CREATE TABLE fs_symlink (ino INTEGER PRIMARY KEY, target TEXT AS (hex(zeroblob(500000000))))",
    ),
    refused: /not a plain table/,
  },
  {
    name: "a check that takes for ever",
    sql: replaced(
      "fs_symlink",
      "CREATE TABLE fs_symlink (ino INTEGER PRIMARY KEY, target TEXT NOT NULL CHECK (length(hex(zeroblob(500000000))) > 0))",
    ),
    refused: /not a plain table/,
  },
  {
    name: "a virtual table",
    sql: replaced("fs_symlink", "CREATE VIRTUAL TABLE fs_symlink USING fts5(ino, target)"),
    refused: /not a plain table/,
  },
  {
    name: "a table without a key, whose lookups would search",
    sql: replaced("fs_data", "CREATE TABLE fs_data (ino INTEGER, chunk_index INTEGER, data BLOB)"),
    refused: /other columns/,
  },
  {
    name: "a table without a column",
    sql: replaced("fs_inode", "CREATE TABLE fs_inode (ino INTEGER PRIMARY KEY, mode INTEGER)"),
    refused: /other columns/,
  },
  {
    name: "names that are there twice",
    sql: `${replaced("fs_dentry", "CREATE TABLE fs_dentry (id INTEGER PRIMARY KEY, name TEXT, parent_ino INTEGER, ino INTEGER)")}; INSERT INTO fs_dentry VALUES (1, 'dir', 1, 2), (2, 'good', 2, 3), (3, 'good', 2, 2)`,
    leftOut: ["dir/good"],
  },
  { name: "a missing table", sql: "DROP TABLE fs_data", refused: /no table fs_data/ },
  {
    name: "an older format",
    sql: "UPDATE fs_config SET value = '0.2' WHERE key = 'schema_version'",
    refused: /this file has 0\.2\. If it is older, run: agentfs migrate FILE/,
  },
  { name: "no format", sql: "DELETE FROM fs_config WHERE key = 'schema_version'", refused: /an older one/ },
  {
    name: "a format of megabytes",
    sql: "UPDATE fs_config SET value = hex(zeroblob(1000000)) WHERE key = 'schema_version'",
    refused: /an older one/,
  },
  {
    name: "a schema that does not parse",
    sql: "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE fs_data (' WHERE name = 'fs_data'",
    refused: /malformed|damaged/,
  },
  {
    name: "two tables in the same pages",
    sql: "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'fs_dentry') WHERE name = 'fs_inode'",
    refused: /damaged|no root directory/,
  },
];

/** Entries of the hostile files that may appear: a link is shown as a link, and a program without its bit. */
export const HARMLESS: ReadonlySet<string> = new Set([
  "kept",
  "dir",
  "dir/good",
  "dir2",
  "out",
  "su",
  "sg",
  ".envrc",
  ".vscode",
]);

// The AgentFS format 0.4, as its tools use it.
import type { SqlDatabase } from "./driver.ts";

export const FORMAT = "0.4";
export const CHUNK_BYTES = 4096;
export const ROOT_INO = 1;

/** The bits of a mode that give the kind of an entry. */
export const KIND_BITS = 0o170000;
export const KINDS = { directory: 0o040000, file: 0o100000, symlink: 0o120000 } as const;

/**
 * AgentFS's programs in Rust insert whiteouts without `parent_path`, those in Go with it: the default suits both.
 * `tool_calls` has the columns of its SDKs, not those of its specification.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS fs_config (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fs_inode (
  ino INTEGER PRIMARY KEY AUTOINCREMENT,
  mode INTEGER NOT NULL,
  nlink INTEGER NOT NULL DEFAULT 0,
  uid INTEGER NOT NULL DEFAULT 0,
  gid INTEGER NOT NULL DEFAULT 0,
  size INTEGER NOT NULL DEFAULT 0,
  atime INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  ctime INTEGER NOT NULL,
  rdev INTEGER NOT NULL DEFAULT 0,
  atime_nsec INTEGER NOT NULL DEFAULT 0,
  mtime_nsec INTEGER NOT NULL DEFAULT 0,
  ctime_nsec INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS fs_dentry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  parent_ino INTEGER NOT NULL,
  ino INTEGER NOT NULL,
  UNIQUE(parent_ino, name)
);
CREATE INDEX IF NOT EXISTS idx_fs_dentry_parent ON fs_dentry(parent_ino, name);
CREATE TABLE IF NOT EXISTS fs_data (
  ino INTEGER NOT NULL,
  chunk_index INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (ino, chunk_index)
);
CREATE TABLE IF NOT EXISTS fs_symlink (ino INTEGER PRIMARY KEY, target TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fs_whiteout (
  path TEXT PRIMARY KEY,
  parent_path TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_fs_whiteout_parent ON fs_whiteout(parent_path);
CREATE TABLE IF NOT EXISTS fs_origin (delta_ino INTEGER PRIMARY KEY, base_ino INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS fs_overlay_config (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS kv_store (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  created_at INTEGER DEFAULT (unixepoch()),
  updated_at INTEGER DEFAULT (unixepoch())
);
CREATE INDEX IF NOT EXISTS idx_kv_store_created_at ON kv_store(created_at);
CREATE TABLE IF NOT EXISTS tool_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  parameters TEXT,
  result TEXT,
  error TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  started_at INTEGER NOT NULL,
  completed_at INTEGER,
  duration_ms INTEGER
);
CREATE INDEX IF NOT EXISTS idx_tool_calls_name ON tool_calls(name);
CREATE INDEX IF NOT EXISTS idx_tool_calls_started_at ON tool_calls(started_at);`;

/** Always a write-ahead log: after a kill, AgentFS's engine read half a transaction from a rollback journal. Deleted content is overwritten: the file may be handed on. */
export function prepareToWrite(db: SqlDatabase): void {
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;");
}

/** Makes the tables that a database does not have. */
export function keepTables(db: SqlDatabase): void {
  db.exec(TABLES);
}

/** Makes the tables of an empty database over this project. */
export function createTables(db: SqlDatabase, project: string, rootMode: number): void {
  keepTables(db);
  const set = db.prepare("INSERT INTO fs_config (key, value) VALUES (?, ?)");
  set.run("schema_version", FORMAT);
  set.run("chunk_size", String(CHUNK_BYTES));
  db.prepare("INSERT INTO fs_overlay_config (key, value) VALUES ('base_path', ?)").run(project);
  db.prepare(
    "INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (?, ?, 1, unixepoch(), unixepoch(), unixepoch())",
  ).run(ROOT_INO, KINDS.directory | rootMode);
}

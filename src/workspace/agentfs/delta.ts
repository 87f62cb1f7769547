// The entries of a database: the session's changes to the project. AgentFS calls them the delta.
import { LIMITS } from "../../core/limits.ts";
import { parentOf, splitPath } from "../fs/path-text.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import { CHUNK_BYTES, KIND_BITS, KINDS, ROOT_INO } from "./schema.ts";
import { hasTable, textColumn, textIn } from "./untrusted-rows.ts";

export interface DeltaStat {
  readonly mode: number;
  readonly mtimeMs: number;
  /** The project's inode that this entry replaces; null if the project has none. */
  readonly baseIno: number | null;
}

/** Changes the entries of an open database. Parents are put before their entries. Paths are canonical. */
export interface Delta {
  hasDirectory(path: string): boolean;
  /** A directory that is there keeps its entries. */
  putDirectory(path: string, stat: DeltaStat): void;
  /** Returns its inode. */
  putFile(path: string, stat: DeltaStat, chunks: Iterable<Uint8Array>): number;
  /** Another name of a file of the database. */
  linkFile(path: string, ino: number): void;
  putSymlink(path: string, stat: DeltaStat, target: string): void;
  /** Hides the project's entry. A whiteout hides everything below it, also entries of the database. */
  putWhiteout(path: string): void;
  /** Removes the entry or the whiteout, and everything below it. */
  remove(path: string): void;
}

/** The entries of a database that exist already. */
export interface OpenDelta extends Delta {
  /** The names in a directory, without whiteouts. */
  names(directory: string): string[];
  /** Removes all entries and whiteouts, also those to which no path leads. From then on chunks have hotcell's size. */
  clear(): void;
}

export function openDelta(db: SqlDatabase, owner: { readonly uid: number; readonly gid: number }): OpenDelta {
  const sql = statements(db);
  const directories = new Map([["", ROOT_INO]]);

  const forget = (): void => {
    directories.clear();
    directories.set("", ROOT_INO);
  };
  const entryAt = (path: string): { readonly ino: number; readonly mode: number } | undefined => {
    const { directory, name } = splitPath(path);
    const parent = directoryAt(directory);
    if (parent === undefined) return undefined;
    return sql.findEntry.get(name, parent) as { ino: number; mode: number } | undefined;
  };
  const directoryAt = (path: string): number | undefined => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const found = entryAt(path);
    if (found === undefined || (found.mode & KIND_BITS) !== KINDS.directory) return undefined;
    directories.set(path, found.ino);
    return found.ino;
  };
  const insert = (kind: keyof typeof KINDS, { mode, mtimeMs, baseIno }: DeltaStat): number => {
    const row = sql.insertInode.get(KINDS[kind] | mode, owner.uid, owner.gid, ...timesOf(mtimeMs));
    const ino = row!.ino as number;
    if (baseIno !== null) sql.insertOrigin.run(ino, baseIno);
    return ino;
  };
  const name = (path: string, ino: number): void => {
    sql.insertDentry.run(splitPath(path).name, directoryAt(parentOf(path))!, ino);
    sql.countLink.run(1, ino);
  };
  /** Its names are removed before it is entered, so a cycle ends. */
  const removeInode = (first: number): void => {
    const pending = [first];
    for (let ino = pending.pop(); ino !== undefined; ino = pending.pop()) {
      for (const row of [...sql.listInodes.iterate(ino)]) pending.push(row.ino as number);
      sql.deleteNames.run(ino);
      if (ino === ROOT_INO) continue;
      sql.countLink.run(-1, ino);
      if (sql.isLinked.get(ino) !== undefined) continue;
      for (const statement of sql.deleteInode) statement.run(ino);
    }
  };
  return {
    hasDirectory: (path) => directoryAt(path) !== undefined,
    putDirectory(path, stat) {
      const known = directoryAt(path);
      if (known !== undefined) {
        sql.setMode.run(KINDS.directory | stat.mode, ...timesOf(stat.mtimeMs), known);
        return;
      }
      const ino = insert("directory", stat);
      name(path, ino);
      directories.set(path, ino);
    },
    putFile(path, stat, chunks) {
      const ino = insert("file", stat);
      name(path, ino);
      let [size, index] = [0, 0];
      for (const chunk of inPieces(chunks)) {
        sql.insertData.run(ino, index++, chunk);
        size += chunk.length;
      }
      sql.setSize.run(size, ino);
      return ino;
    },
    linkFile: name,
    putSymlink(path, stat, target) {
      const ino = insert("symlink", stat);
      name(path, ino);
      sql.insertSymlink.run(ino, target);
      sql.setSize.run(Buffer.byteLength(target), ino);
    },
    putWhiteout(path) {
      sql.insertWhiteout.run(`/${path}`, `/${parentOf(path)}`, Math.floor(Date.now() / 1000));
    },
    remove(path) {
      // The character after "/" ends the range of paths below it.
      sql.deleteWhiteouts.run(`/${path}`, `/${path}/`, `/${path}0`);
      const found = entryAt(path);
      if (found === undefined) return;
      sql.deleteDentry.run(splitPath(path).name, directoryAt(parentOf(path))!);
      removeInode(found.ino);
      if ((found.mode & KIND_BITS) === KINDS.directory) forget();
    },
    names(directory) {
      const rows = sql.listNames.iterate(directoryAt(directory) ?? -1);
      return Array.from(rows, ({ name }) => textIn(blobOf(name))).filter((name) => name !== null);
    },
    clear() {
      for (const table of ["fs_dentry", "fs_data", "fs_symlink", "fs_whiteout", "fs_origin"])
        db.exec(`DELETE FROM ${table}`);
      db.exec(`DELETE FROM fs_inode WHERE ino <> ${ROOT_INO}`);
      // After a row with the largest number SQLite would refuse every new row.
      if (hasTable(db, "sqlite_sequence"))
        db.exec("DELETE FROM sqlite_sequence WHERE name IN ('fs_inode', 'fs_dentry')");
      db.exec(`UPDATE fs_config SET value = '${CHUNK_BYTES}' WHERE key = 'chunk_size'`);
      forget();
    },
  };
}

function statements(db: SqlDatabase) {
  const deleteIn = (table: string, column: string) => db.prepare(`DELETE FROM ${table} WHERE ${column} = ?`);
  return {
    insertInode: db.prepare(
      "INSERT INTO fs_inode (mode, uid, gid, atime, mtime, ctime, atime_nsec, mtime_nsec, ctime_nsec) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ino",
    ),
    insertDentry: db.prepare("INSERT INTO fs_dentry (name, parent_ino, ino) VALUES (?, ?, ?)"),
    countLink: db.prepare("UPDATE fs_inode SET nlink = nlink + ? WHERE ino = ?"),
    setSize: db.prepare("UPDATE fs_inode SET size = ? WHERE ino = ?"),
    setMode: db.prepare(
      "UPDATE fs_inode SET mode = ?, atime = ?, mtime = ?, ctime = ?, atime_nsec = ?, mtime_nsec = ?, ctime_nsec = ? WHERE ino = ?",
    ),
    insertData: db.prepare("INSERT INTO fs_data (ino, chunk_index, data) VALUES (?, ?, ?)"),
    insertSymlink: db.prepare("INSERT INTO fs_symlink (ino, target) VALUES (?, ?)"),
    insertOrigin: db.prepare("INSERT INTO fs_origin (delta_ino, base_ino) VALUES (?, ?)"),
    insertWhiteout: db.prepare(
      "INSERT OR REPLACE INTO fs_whiteout (path, parent_path, created_at) VALUES (?, ?, ?)",
    ),
    findEntry: db.prepare(
      "SELECT ino, mode FROM fs_dentry JOIN fs_inode USING (ino) WHERE name = ? AND parent_ino = ?",
    ),
    listNames: db.prepare(
      `SELECT ${textColumn("name", LIMITS.maxNameBytes)} AS name FROM fs_dentry WHERE parent_ino = ?`,
    ),
    listInodes: db.prepare("SELECT ino FROM fs_dentry WHERE parent_ino = ?"),
    // Programs count the links of a directory in different ways; it has one name.
    isLinked: db.prepare(
      `SELECT 1 AS yes FROM fs_inode WHERE ino = ? AND nlink > 0 AND (mode & ${KIND_BITS}) <> ${KINDS.directory}`,
    ),
    deleteDentry: db.prepare("DELETE FROM fs_dentry WHERE name = ? AND parent_ino = ?"),
    deleteNames: deleteIn("fs_dentry", "parent_ino"),
    deleteInode: [
      deleteIn("fs_inode", "ino"),
      deleteIn("fs_data", "ino"),
      deleteIn("fs_symlink", "ino"),
      deleteIn("fs_origin", "delta_ino"),
    ],
    deleteWhiteouts: db.prepare("DELETE FROM fs_whiteout WHERE path = ? OR (path > ? AND path < ?)"),
  };
}

/** Of access, of content and of the inode: seconds, then nanoseconds. */
function timesOf(mtimeMs: number): number[] {
  const seconds = Math.floor(mtimeMs / 1000);
  const nanoseconds = Math.floor((mtimeMs - seconds * 1000) * 1e6);
  return [seconds, seconds, seconds, nanoseconds, nanoseconds, nanoseconds];
}

/** Every piece but the last has the database's chunk size; the given chunks have any. */
function* inPieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  let rest: Uint8Array = new Uint8Array(0);
  for (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + CHUNK_BYTES <= bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    rest = Buffer.from(bytes.subarray(at));
  }
  if (rest.length > 0) yield rest;
}

/** Whether AgentFS can name a path: its names are UTF-8. */
export const isText = (path: string): boolean => !/[\uD800-\uDFFF]/u.test(path);

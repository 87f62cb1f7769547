// Makes a view show the entries of a database, as changes of a call. Every name is used relative to an open
// directory of the view, and no link is followed.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { openNewFile, writeAll } from "../fs/atomic-write.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { createCursor } from "../fs/cursor.ts";
import { kindAt, unlock } from "../fs/metadata.ts";
import { chunksOf } from "../fs/open-file.ts";
import { type Owner, ownerOfNew } from "../fs/owner.ts";
import { joinPath, splitPath } from "../fs/path-text.ts";
import { childPath, fdPath, type Root } from "../fs/paths.ts";
import { makeDirectory, makeLink, removeEntry } from "../fs/tree-change.ts";
import { openTreeReader, type ReadTree, type TreeReader } from "../fs/tree-reader.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import type { DatabaseDirectory, DatabaseEntry, DatabaseFile } from "./read-database-tree.ts";
import type { LeftOut } from "./write-entry.ts";

interface Level {
  readonly path: string;
  readonly rest: [string, DatabaseEntry][];
  /** Set when the directory is filled. */
  readonly mode: number;
}

/** Returns what the view could not take. `project` has the files that the tree takes from it. */
export function* applyTree(
  root: DatabaseDirectory,
  db: SqlDatabase,
  view: Root,
  project: Pick<ReadTree, "withFile"> | null = null,
): Cooperative<LeftOut[]> {
  const leftOut: LeftOut[] = [];
  const cursor = createCursor(view.fd);
  const files = createFileWriter(db, view, leftOut);
  const owner = ownerOfNew(view.fd);
  const levels: Level[] = [];
  const enter = (path: string, below: DatabaseDirectory["below"], mode: number | null) => {
    const was = unlock(cursor.fd).mode & 0o7777;
    levels.push({ path, rest: [...below], mode: mode ?? was });
  };
  enter("", root.below, null);
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = level.rest.pop();
      if (next === undefined) {
        setMode(cursor.fd, level.mode);
        levels.pop();
        if (levels.length > 0) cursor.up();
        continue;
      }
      const [name, entry] = next;
      const ref = { dir: cursor.fd, name };
      const path = joinPath(level.path, name);
      if (entry.kind === "directory") {
        const kind = kindAt(cursor.fd, name);
        if (kind !== "directory" && entry.mode === null) continue;
        const mode = entry.mode === null ? null : unprivileged(cursor.fd, name, path, entry.mode, leftOut);
        if (kind !== "directory") {
          removeEntry(ref);
          makeDirectory(cursor.fd, name, owner);
        }
        cursor.down(name);
        enter(path, entry.below, mode);
        continue;
      }
      if (entry.kind === "file") {
        const mode = unprivileged(cursor.fd, name, path, entry.mode, leftOut);
        removeEntry(ref);
        yield* files.put(cursor.fd, path, { ...entry, mode }, owner);
      } else if (entry.kind === "project") {
        removeEntry(ref);
        project!.withFile(path, (fd) => copyFile(fd, path, childPath(cursor.fd, name), entry.mode, owner));
      } else {
        removeEntry(ref);
        if (entry.kind === "symlink") makeLink(entry.target, cursor.fd, name, owner);
      }
      yield;
    }
    return leftOut;
  } finally {
    files.close();
    cursor.close();
  }
}

/** Without setuid and setgid, unless the entry that it replaces has them. */
function unprivileged(dir: number, name: string, path: string, mode: number, leftOut: LeftOut[]): number {
  const now = fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
  const allowed = mode & (0o1777 | (now === undefined || now.isSymbolicLink() ? 0 : now.mode & 0o6000));
  if (allowed !== mode) leftOut.push({ path, reason: "its setuid or setgid bit" });
  return allowed;
}

function setMode(dir: number, mode: number): void {
  if ((fs.fstatSync(dir).mode & 0o7777) !== mode) fs.chmodSync(fdPath(dir), mode);
}

function createFileWriter(db: SqlDatabase, view: Root, leftOut: LeftOut[]) {
  const content = db.prepare(
    "SELECT CAST(data AS BLOB) AS data FROM fs_data WHERE ino = ? ORDER BY chunk_index",
  );
  /** Where each file of the database is in the view. */
  const written = new Map<number, string>();
  let reader: TreeReader | null = null;
  const link = (from: string, dir: number, name: string): void => {
    reader ??= openTreeReader({ fd: view.fd });
    const known = splitPath(from);
    fs.linkSync(childPath(reader.enter(known.directory), known.name), childPath(dir, name));
  };
  return {
    *put(dir: number, path: string, file: DatabaseFile, owner: Owner | null): Cooperative<void> {
      const { name } = splitPath(path);
      const linked = written.get(file.ino);
      try {
        if (linked !== undefined) return link(linked, dir, name);
      } catch (error) {
        if (osErrorCode(error) !== "EMLINK") throw error;
        leftOut.push({ path, reason: "its link: the file system allows no more names of one file" });
      }
      yield* writeFile(childPath(dir, name), file, content.iterate(file.ino), owner);
      written.set(file.ino, path);
    },
    close: () => reader?.close(),
  };
}

function copyFile(from: number, path: string, at: string | Buffer, mode: number, owner: Owner | null): void {
  const fd = openNewFile(at, { mode: 0o600, owner });
  try {
    for (const chunk of chunksOf(from, path)) writeAll(fd, chunk);
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

function* writeFile(
  at: string | Buffer,
  { mode, mtimeMs, size }: DatabaseFile,
  rows: ReturnType<ReturnType<SqlDatabase["prepare"]>["iterate"]>,
  owner: Owner | null,
): Cooperative<void> {
  const fd = openNewFile(at, { mode: 0o600, owner });
  try {
    let bytes = 0;
    for (const { data } of rows) {
      const chunk = blobOf(data);
      bytes += chunk.length;
      if (bytes > size) break;
      writeAll(fd, chunk);
      yield;
    }
    // The check before counted other chunks: the file's index is damaged.
    if (bytes !== size)
      throw new HotcellError("INVALID_ARGUMENTS", "Could not read the database: it is damaged.");
    fs.fchmodSync(fd, mode);
    fs.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
  } finally {
    fs.closeSync(fd);
  }
}

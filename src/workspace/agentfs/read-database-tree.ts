// Reads the entries of a database from elsewhere into a tree. Nothing in it is trusted: types, names, sizes, counts
// and links between rows are checked, and what does not fit is left out and reported.
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { joinPath } from "../fs/path-text.ts";
import { TEMP_PREFIX } from "../fs/paths.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import { KIND_BITS, KINDS, ROOT_INO } from "./schema.ts";
import { hasTable, integerColumn, type Refuse, rowsOf, textColumn, textIn } from "./untrusted-rows.ts";
import type { IsSecret, LeftOut } from "./write-entry.ts";

export interface DatabaseDirectory {
  readonly kind: "directory";
  /** Null if only a whiteout is below it: then it stays as the project has it. */
  readonly mode: number | null;
  readonly below: Map<string, DatabaseEntry>;
}

export interface DatabaseFile {
  readonly kind: "file";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
  /** Files with the same number are names of one file. */
  readonly ino: number;
}

export type DatabaseEntry =
  | DatabaseDirectory
  | DatabaseFile
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "gone" }
  /** The project's file. No database has such an entry. */
  | { readonly kind: "project"; readonly mode: number };

export interface DatabaseTree {
  readonly root: DatabaseDirectory;
  readonly entries: number;
  readonly leftOut: readonly LeftOut[];
}

interface Inode {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

const { maxChunkBytes, maxLinkBytes } = LIMITS.agentfs;

export function* readDatabaseTree(
  db: SqlDatabase,
  isSecret: IsSecret,
  refuse: Refuse,
): Cooperative<DatabaseTree> {
  const leftOut: LeftOut[] = [];
  const whole = createContentCheck(db, refuse);
  const inodes = yield* readInodes(db, refuse);
  const names = yield* readNames(db, refuse);
  const targets = yield* readTargets(db, refuse);
  const whiteouts = yield* readWhiteouts(db, refuse, leftOut);
  const rootMode = inodes.get(ROOT_INO)?.mode ?? 0;
  if ((rootMode & KIND_BITS) !== KINDS.directory) throw refuse("it has no root directory");
  const root: DatabaseDirectory = { kind: "directory", mode: null, below: new Map() };
  const entered = new Set([ROOT_INO]);
  const pending = [{ ino: ROOT_INO, path: "", below: root.below }];
  let entries = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { name: bytes, ino } of names.get(at.ino) ?? []) {
      yield;
      const name = textIn(bytes);
      const path = joinPath(at.path, name ?? "?");
      const leaveOut = (reason: string) => void leftOut.push({ path, reason });
      const inode = inodes.get(ino);
      const problem = problemOfName(name, path) ?? (at.below.has(name!) ? "its name is there twice" : null);
      if (problem !== null || inode === undefined) {
        leaveOut(problem ?? "it has no inode");
        continue;
      }
      const kind = inode.mode & KIND_BITS;
      if (whiteouts.has(path)) leaveOut("a whiteout hides it");
      else if (isSecret(path, kind === KINDS.directory)) leaveOut("it has the name of a secret");
      else if (kind === KINDS.directory && entered.has(ino))
        leaveOut("its directory has another name already");
      else if (kind === KINDS.directory) {
        entered.add(ino);
        const directory: DatabaseDirectory = {
          kind: "directory",
          mode: inode.mode & 0o7777,
          below: new Map(),
        };
        at.below.set(name!, directory);
        pending.push({ ino, path, below: directory.below });
        entries++;
      } else {
        const entry = entryOf(ino, inode, targets, whole);
        if (typeof entry === "string") leaveOut(entry);
        else {
          at.below.set(name!, entry);
          entries++;
        }
      }
    }
  }
  for (const path of whiteouts) yield* insertWhiteout(root, path, isSecret, leftOut);
  return { root, entries: entries + whiteouts.size, leftOut };
}

/** A reason instead of an entry that cannot be taken. */
function entryOf(
  ino: number,
  { mode, size, mtimeMs }: Inode,
  targets: ReadonlyMap<number, string | null>,
  isWhole: (ino: number, size: number) => boolean,
): DatabaseEntry | string {
  const kind = mode & KIND_BITS;
  if (kind === KINDS.symlink) {
    const target = targets.get(ino) ?? null;
    return target === null
      ? "the target of the link is missing or is not a path"
      : { kind: "symlink", target };
  }
  if (kind !== KINDS.file) return "it is neither a file, a directory nor a link";
  if (!isWhole(ino, size)) return "its content does not have its size";
  return { kind: "file", mode: mode & 0o7777, mtimeMs, size, ino };
}

function problemOfName(name: string | null, path: string): string | null {
  if (name === null) return "its name is not text of 1 to 255 bytes";
  if (name === "." || name === ".." || /[/\0]/.test(name)) return "its name is not a file name";
  if (name.startsWith(TEMP_PREFIX)) return "its name is one of hotcell's temporary files";
  return Buffer.byteLength(path) > LIMITS.maxPathBytes ? "its path is too long" : null;
}

type InodeRow = Readonly<Record<"ino" | "mode" | "size" | "mtime" | "mtime_nsec", number | null>>;

function* readInodes(db: SqlDatabase, refuse: Refuse): Cooperative<Map<number, Inode>> {
  const found = new Map<number, Inode>();
  const columns = ["ino", "mode", "size", "mtime", "mtime_nsec"].map(
    (name) => `${integerColumn(name)} AS ${name}`,
  );
  for (const row of rowsOf(db, `SELECT ${columns} FROM fs_inode`, refuse)) {
    yield;
    const { ino, mode, size, mtime, mtime_nsec: nsec } = row as unknown as InodeRow;
    if (ino === null || mode === null || size === null || mode > 0o177777) continue;
    const mtimeMs = Math.min(mtime ?? 0, LATEST_SECONDS) * 1000 + Math.min(nsec ?? 0, 999_999_999) / 1e6;
    found.set(ino, { mode, size, mtimeMs });
  }
  return found;
}

/** The year 2446: the latest time of ext4. */
const LATEST_SECONDS = 15_032_385_535;

interface NamedInode {
  readonly name: Buffer | null;
  readonly ino: number;
}

function* readNames(db: SqlDatabase, refuse: Refuse): Cooperative<Map<number, NamedInode[]>> {
  const found = new Map<number, NamedInode[]>();
  const query = `SELECT ${textColumn("name", LIMITS.maxNameBytes)} AS name, ${integerColumn("parent_ino")} AS parent, ${integerColumn("ino")} AS ino FROM fs_dentry`;
  for (const { name, parent, ino } of rowsOf(db, query, refuse)) {
    yield;
    const entry = { name: name === null ? null : blobOf(name!), ino: (ino as number | null) ?? -1 };
    const siblings = found.get(parent as number);
    if (siblings === undefined) found.set(parent as number, [entry]);
    else siblings.push(entry);
  }
  return found;
}

function* readTargets(db: SqlDatabase, refuse: Refuse): Cooperative<Map<number, string | null>> {
  const found = new Map<number, string | null>();
  const query = `SELECT ${integerColumn("ino")} AS ino, ${textColumn("target", maxLinkBytes)} AS target FROM fs_symlink`;
  for (const { ino, target } of rowsOf(db, query, refuse)) {
    yield;
    const known = target === null ? null : textIn(blobOf(target));
    found.set(ino as number, known?.includes("\0") ? null : known);
  }
  return found;
}

/** Canonical paths. */
function* readWhiteouts(db: SqlDatabase, refuse: Refuse, leftOut: LeftOut[]): Cooperative<Set<string>> {
  const found = new Set<string>();
  if (!hasTable(db, "fs_whiteout")) return found;
  const query = `SELECT ${textColumn("path", LIMITS.maxPathBytes + 1)} AS path FROM fs_whiteout`;
  for (const { path } of rowsOf(db, query, refuse)) {
    yield;
    const given = path === null ? null : textIn(blobOf(path!));
    const names = given?.startsWith("/") ? given.slice(1).split("/") : [null];
    const problem = names.map((name) => problemOfName(name || null, "")).find((one) => one !== null);
    if (problem === undefined) found.add(names.join("/"));
    else leftOut.push({ path: given ?? "?", reason: "it is a whiteout whose path is not a path" });
  }
  return found;
}

function* insertWhiteout(
  root: DatabaseDirectory,
  path: string,
  isSecret: IsSecret,
  leftOut: LeftOut[],
): Cooperative<void> {
  yield;
  if (isSecret(path, false) || isSecret(path, true)) {
    leftOut.push({ path, reason: "it has the name of a secret" });
    return;
  }
  const names = path.split("/");
  const last = names.pop()!;
  let parent = root;
  for (const name of names) {
    const known = parent.below.get(name) ?? { kind: "directory", mode: null, below: new Map() };
    // Below anything else there is nothing to hide.
    if (known.kind !== "directory") return;
    parent.below.set(name, known);
    parent = known;
  }
  parent.below.set(last, { kind: "gone" });
}

/** Whether a file's chunks are all there: each but the last has the database's chunk size, and together they have the file's. */
function createContentCheck(db: SqlDatabase, refuse: Refuse): (ino: number, size: number) => boolean {
  const row = db
    .prepare(`SELECT ${textColumn("value", 10)} AS value FROM fs_config WHERE key = 'chunk_size'`)
    .get();
  const chunk = Number(blobOf(row?.value ?? null).toString("latin1"));
  if (!Number.isInteger(chunk) || chunk < 1 || chunk > maxChunkBytes)
    throw refuse(`its chunk size is not a number from 1 to ${maxChunkBytes}`);
  const isWhole = db.prepare(
    `SELECT count(*) = ? AND sum(octet_length(data)) = ? AND min(chunk_index) = 0 AND max(chunk_index) = count(*) - 1
      AND sum(typeof(chunk_index) <> 'integer' OR typeof(data) <> 'blob') = 0
      AND max(octet_length(data)) <= ${chunk}
      AND coalesce(min(CASE WHEN octet_length(data) <> ${chunk} THEN chunk_index END) = max(chunk_index), 1) AS yes
    FROM (SELECT chunk_index, data FROM fs_data WHERE ino = ? LIMIT ?)`,
  );
  const isEmpty = db.prepare("SELECT NOT EXISTS (SELECT 1 FROM fs_data WHERE ino = ?) AS yes");
  return (ino, size) => {
    const chunks = Math.ceil(size / chunk);
    const row = size === 0 ? isEmpty.get(ino) : isWhole.get(chunks, size, ino, chunks + 1);
    return row?.yes === 1;
  };
}

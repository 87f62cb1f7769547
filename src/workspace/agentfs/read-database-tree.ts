// Reads the entries of a database from elsewhere into a tree. Nothing in it is trusted: types, names, sizes, counts
// and links between rows are checked, and what does not fit is left out and reported.
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { joinPath } from "../fs/path-text.ts";
import { TEMP_PREFIX } from "../fs/paths.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import { KIND_BITS, KINDS, ROOT_INO } from "./schema.ts";
import {
  createTreeBudget,
  hasTable,
  integerColumn,
  type Refuse,
  rowsOf,
  type TreeBudget,
  textColumn,
  textIn,
} from "./untrusted-rows.ts";
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
  const keep = createTreeBudget(refuse);
  const whole = createContentCheck(db, refuse);
  const inodes = yield* readInodes(db, refuse);
  const names = yield* readNames(db, refuse);
  const targets = yield* readTargets(db, refuse, keep);
  const whiteouts = yield* readWhiteouts(db, refuse, keep, leftOut);
  const rootMode = inodes.get(ROOT_INO)?.mode ?? 0;
  if ((rootMode & KIND_BITS) !== KINDS.directory) throw refuse("it has no root directory");
  const root: DatabaseDirectory = { kind: "directory", mode: null, below: new Map() };
  const entered = new Set<number>();
  const levels: Level[] = [];
  const enter = (ino: number, path: string, { below }: DatabaseDirectory) => {
    entered.add(ino);
    levels.push({ path, below, rest: (names.get(ino) ?? []).values() });
  };
  /** A reason instead of an entry that cannot be taken. */
  const entryAt = (
    path: string,
    name: string | null,
    ino: number,
    below: DatabaseDirectory["below"],
  ): DatabaseEntry | string => {
    const problem = problemOfName(name, path);
    if (problem !== null) return problem;
    if (below.has(name!)) return "its name is there twice";
    const inode = inodes.get(ino);
    if (inode === undefined) return "it has no inode";
    const isDirectory = (inode.mode & KIND_BITS) === KINDS.directory;
    if (whiteouts.has(path)) return "a whiteout hides it";
    if (isSecret(path, isDirectory)) return "it has the name of a secret";
    if (isDirectory && entered.has(ino)) return "its directory has another name already";
    return entryOf(ino, inode, targets, whole);
  };
  enter(ROOT_INO, "", root);
  let entries = 0;
  for (let at = levels.at(-1); at !== undefined; at = levels.at(-1)) {
    yield;
    const next = at.rest.next();
    if (next.done === true) {
      levels.pop();
      continue;
    }
    const { ino } = next.value;
    const name = textIn(next.value.name);
    const path = joinPath(at.path, name ?? "?");
    keep(1, Buffer.byteLength(path));
    const entry = entryAt(path, name, ino, at.below);
    if (typeof entry === "string") {
      leftOut.push({ path, reason: entry });
      continue;
    }
    at.below.set(name!, entry);
    entries++;
    if (entry.kind === "directory") enter(ino, path, entry);
  }
  for (const path of whiteouts) yield* insertWhiteout(root, path, isSecret, { keep, leftOut });
  return { root, entries: entries + whiteouts.size, leftOut };
}

/** A directory on the way to the next entry. Only these have their path in memory. */
interface Level {
  readonly path: string;
  readonly below: DatabaseDirectory["below"];
  readonly rest: Iterator<NamedInode>;
}

function entryOf(
  ino: number,
  { mode, size, mtimeMs }: Inode,
  targets: ReadonlyMap<number, string | null>,
  isWhole: (ino: number, size: number) => boolean,
): DatabaseEntry | string {
  const kind = mode & KIND_BITS;
  if (kind === KINDS.directory) return { kind: "directory", mode: mode & 0o7777, below: new Map() };
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

function* readTargets(
  db: SqlDatabase,
  refuse: Refuse,
  keep: TreeBudget,
): Cooperative<Map<number, string | null>> {
  const found = new Map<number, string | null>();
  const query = `SELECT ${integerColumn("ino")} AS ino, ${textColumn("target", maxLinkBytes)} AS target FROM fs_symlink`;
  for (const { ino, target } of rowsOf(db, query, refuse)) {
    yield;
    const bytes = blobOf(target);
    keep(0, bytes.length);
    const known = textIn(bytes);
    found.set(ino as number, known?.includes("\0") ? null : known);
  }
  return found;
}

/** Canonical paths. */
function* readWhiteouts(
  db: SqlDatabase,
  refuse: Refuse,
  keep: TreeBudget,
  leftOut: LeftOut[],
): Cooperative<Set<string>> {
  const found = new Set<string>();
  if (!hasTable(db, "fs_whiteout")) return found;
  const query = `SELECT ${textColumn("path", LIMITS.maxPathBytes + 1)} AS path FROM fs_whiteout`;
  for (const { path } of rowsOf(db, query, refuse)) {
    yield;
    const bytes = blobOf(path);
    keep(1, bytes.length);
    const given = textIn(bytes);
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
  { keep, leftOut }: { readonly keep: TreeBudget; readonly leftOut: LeftOut[] },
): Cooperative<void> {
  yield;
  if (isSecret(path, false) || isSecret(path, true)) {
    leftOut.push({ path, reason: "it has the name of a secret" });
    return;
  }
  const names = path.split("/");
  const last = names.pop()!;
  let parent = root;
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 1;
    let known = parent.below.get(name);
    if (known === undefined) {
      keep(1, bytes);
      known = { kind: "directory", mode: null, below: new Map() };
      parent.below.set(name, known);
    }
    // Below anything else there is nothing to hide.
    if (known.kind !== "directory") return;
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

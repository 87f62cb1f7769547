// Finds where a database differs from a view, by writing the view to a delta that compares instead of writing.
import type { ComparedTrees, PairOptions } from "../diff/compare-entries.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { chunksOf } from "../fs/open-file.ts";
import { joinPath, splitPath } from "../fs/path-text.ts";
import type { Side } from "../fs/tree-reader.ts";
import type { Delta } from "./delta.ts";
import { blobOf, type SqlDatabase } from "./driver.ts";
import type { DatabaseDirectory, DatabaseEntry, DatabaseFile } from "./read-database-tree.ts";
import type { IsSecret } from "./write-entry.ts";
import { writeView } from "./write-view.ts";

/** Where the database, read over the project, shows another entry than the view. Parents first. */
export function* compareDatabase(
  root: DatabaseDirectory,
  db: SqlDatabase,
  trees: ComparedTrees,
  options: PairOptions,
  isSecret: IsSecret,
): Cooperative<readonly string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const isSame = createComparison(db, trees);
  const compare = (path: string, side: Omit<Side, "size">): void => {
    seen.add(path);
    const entry = findEntry(root, path);
    // It may lack an entry that equals the project's.
    if (!isEntry(entry) && isInProject(path, side, trees)) return;
    if (!isSame(path, entry, side)) found.add(path);
  };
  const directories = new Set([""]);
  const comparing: Delta = {
    hasDirectory: (path) => directories.has(path),
    putDirectory(path, { mode }) {
      directories.add(path);
      compare(path, { kind: "directory", mode, target: null });
    },
    putFile(path, { mode }) {
      compare(path, { kind: "file", mode, target: null });
      return 0;
    },
    linkFile: (path) => compare(path, trees.after.look(path)!.side),
    putSymlink: (path, { mode }, target) => compare(path, { kind: "symlink", mode, target }),
    putWhiteout(path) {
      seen.add(path);
      const entry = findEntry(root, path);
      // It may lack a whiteout, as after a change of the project.
      if (isEntry(entry) && entry.kind !== "gone") found.add(path);
    },
    remove: (path) => void seen.add(path),
  };
  yield* writeView(trees, options, isSecret, comparing);
  for (const [path, entry] of entriesIn(root)) {
    yield;
    if (seen.has(path) || !isEntry(entry)) continue;
    const side = trees.after.look(path)?.side ?? null;
    if (side === null ? entry.kind !== "gone" : !isSame(path, entry, side)) found.add(path);
  }
  for (const path of yield* namesOfSameFiles(root, found)) found.add(path);
  return [...found].sort((a, b) => a.length - b.length);
}

/** All names of the files that these paths name, so that links stay links. */
function* namesOfSameFiles(root: DatabaseDirectory, paths: Iterable<string>): Cooperative<string[]> {
  const names: string[] = [];
  const files = new Set<number>();
  for (const path of paths) {
    const entry = findEntry(root, path);
    if (entry?.kind === "file") files.add(entry.ino);
  }
  if (files.size === 0) return names;
  for (const [path, entry] of entriesIn(root)) {
    yield;
    if (entry.kind === "file" && files.has(entry.ino)) names.push(path);
  }
  return names;
}

/** A directory without a mode is only the way to a whiteout. */
function isEntry(entry: DatabaseEntry | undefined): entry is DatabaseEntry {
  return entry !== undefined && !(entry.kind === "directory" && entry.mode === null);
}

function createComparison(db: SqlDatabase, { after }: ComparedTrees) {
  const content = db.prepare(
    "SELECT CAST(data AS BLOB) AS data FROM fs_data WHERE ino = ? ORDER BY chunk_index",
  );
  const hasContentOf = (path: string, { ino, size }: DatabaseFile): boolean =>
    after.withFile(path, (fd, bytes) => {
      if (bytes !== size) return false;
      const rows = content.iterate(ino)[Symbol.iterator]();
      try {
        return chunksAreSame(chunksOf(fd, path), () => nextChunk(rows));
      } finally {
        rows.return?.();
      }
    });
  return (path: string, entry: DatabaseEntry | undefined, side: Omit<Side, "size">): boolean => {
    if (!isEntry(entry) || entry.kind !== side.kind) return false;
    if (entry.kind === "symlink") return entry.target === side.target;
    return entry.mode === side.mode && (entry.kind === "directory" || hasContentOf(path, entry));
  };
}

/** Whether the project's entry equals that of the view. */
function isInProject(path: string, side: Omit<Side, "size">, { before, after }: ComparedTrees): boolean {
  const own = before.look(path)?.side;
  if (own?.kind !== side.kind || own.target !== side.target) return false;
  if (own.kind === "symlink") return true;
  if (own.mode !== side.mode || own.kind !== "file") return own.mode === side.mode;
  return before.withFile(path, (fd, size) =>
    after.withFile(path, (other, otherSize) => {
      if (size !== otherSize) return false;
      const chunks = chunksOf(fd, path);
      return chunksAreSame(chunksOf(other, path), () => chunks.next().value ?? null);
    }),
  );
}

function nextChunk(rows: Iterator<{ readonly data?: unknown }>): Buffer | null {
  const { done, value } = rows.next();
  return done === true ? null : blobOf(value.data as Uint8Array);
}

/** Both give the same number of bytes, in chunks of different sizes. */
function chunksAreSame(chunks: Iterable<Buffer>, next: () => Buffer | null): boolean {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      if (rest.length === 0) rest = next() ?? Buffer.alloc(0);
      const length = Math.min(rest.length, chunk.length - at);
      if (length === 0 || chunk.compare(rest, 0, length, at, at + length) !== 0) return false;
      rest = rest.subarray(length);
      at += length;
    }
  return true;
}

function findEntry(root: DatabaseDirectory, path: string): DatabaseEntry | undefined {
  let found: DatabaseEntry | undefined = root;
  for (const name of path.split("/")) found = found?.kind === "directory" ? found.below.get(name) : undefined;
  return found;
}

export function* entriesIn(root: DatabaseDirectory): Generator<[string, DatabaseEntry], void, void> {
  const pending: [string, DatabaseDirectory][] = [["", root]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [directory, { below }] = next;
    for (const [name, entry] of below) {
      const path = joinPath(directory, name);
      yield [path, entry];
      if (entry.kind === "directory") pending.push([path, entry]);
    }
  }
}

/** The tree that makes a view with these differences show the database: its entries, and the project's where it has none. */
export function* pickDifferences(
  root: DatabaseDirectory,
  paths: readonly string[],
  { before: project, after: view }: ComparedTrees,
  isSecret: IsSecret,
): Cooperative<DatabaseDirectory> {
  const picked: DatabaseDirectory = { kind: "directory", mode: null, below: new Map() };
  const put = (path: string, entry: DatabaseEntry): void => {
    const { directory, name } = splitPath(path);
    let parent = picked;
    for (const step of directory === "" ? [] : directory.split("/")) {
      const known = parent.below.get(step) ?? { kind: "directory", mode: null, below: new Map() };
      // Below anything else the database shows nothing.
      if (known.kind !== "directory") return;
      parent.below.set(step, known);
      parent = known;
    }
    parent.below.set(name, entry);
  };
  const pending = [...paths].reverse();
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    yield;
    const own = findEntry(root, path);
    if (isEntry(own)) {
      put(path, own.kind === "directory" ? { ...own, below: new Map() } : own);
      continue;
    }
    const side = project.look(path)?.side ?? null;
    const isHidden = side === null || isSecret(path, side.kind === "directory");
    put(path, isHidden ? { kind: "gone" } : projectEntry(side));
    if (isHidden || side.kind !== "directory" || view.look(path)?.side.kind === "directory") continue;
    for (const { name } of project.list(path)) pending.push(joinPath(path, name));
  }
  return picked;
}

function projectEntry({ kind, mode, target }: Side): DatabaseEntry {
  if (kind === "directory") return { kind, mode, below: new Map() };
  if (kind === "symlink") return { kind, target: target! };
  return kind === "file" ? { kind: "project", mode } : { kind: "gone" };
}

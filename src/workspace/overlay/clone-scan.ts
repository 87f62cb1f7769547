// Scans a tree that others write, and finds the differences to the previous scan. It lists only directories that
// changed. Other changes show in the inode, whose change time no process can set.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { FileKind } from "../files/workspace-fs.ts";
import { createPace } from "../fs/cooperative.ts";
import { type Cursor, createCursor } from "../fs/cursor.ts";
import { childPath } from "../fs/paths.ts";
import { kindOf, type NamedKind, readNames } from "../fs/tree.ts";
import type { TreeEntry } from "../layers/clone-tree.ts";
import { createMemoryBudget } from "../layers/memory-budget.ts";
import { allowAt, rightsToRead } from "./keep-readable.ts";

/** The recorded state of an entry, for comparison with its present state. */
export interface ScannedEntry extends TreeEntry {
  readonly kind: "file" | "symlink" | "directory";
  readonly below: Map<string, ScannedEntry> | null;
  readonly mode: number;
  ino: number;
  /** -1 if the next scan must treat the entry as changed, whatever its time. */
  ctimeMs: number;
  /** 0 for a directory. */
  readonly size: number;
}

const MAX_JUDGED_NAMES = 128;
/** The tree may change during the scan: a name may have vanished or changed its kind. */
const UNREACHABLE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

export interface ScanTreeOptions {
  /** The time of the clock that stamps files. */
  readonly clockMs: number;
  /** Whether a path, in the form that `protectionOf` takes, is not part of the tree. */
  readonly excludes: (path: string) => boolean;
  /** Restores the owner's right to read an entry that is new or was readable at the previous scan. */
  readonly keepsReadable?: boolean;
}

interface Level {
  readonly above: Level | null;
  readonly name: string;
  readonly known: ScannedEntry | undefined;
  readonly mode: number;
  readonly seen: Stamp;
  readonly below: Map<string, ScannedEntry>;
  /** Entries still to scan. */
  readonly names: NamedKind[];
}

/** If these are equal, a directory has the same names as before. */
type Stamp = Pick<ScannedEntry, "ino" | "ctimeMs">;
const NEVER_SCANNED: Stamp = { ino: 0, ctimeMs: -1 };

export function createScannedDirectory(
  mode: number,
  below: Map<string, ScannedEntry>,
  seen = NEVER_SCANNED,
): ScannedEntry {
  return { kind: "directory", below, mode: mode & 0o7777, size: 0, ...seen };
}

/** Null for an entry that is neither a file nor a link. */
export function createScannedFile(stat: fs.Stats): ScannedEntry | null {
  const kind = kindOf(stat);
  if (kind !== "file" && kind !== "symlink") return null;
  const { ino, ctimeMs, size, mode } = stat;
  return { kind, below: null, mode: mode & 0o7777, ctimeMs, ino, size };
}

/** The present tree without special files. Unchanged entries are the same objects as in `known`. */
export async function scanTree(
  start: number,
  known: ScannedEntry,
  options: ScanTreeOptions,
): Promise<ScannedEntry> {
  const pace = createPace();
  const memory = createMemoryBudget();
  const cursor = createCursor(start);
  try {
    let level = enter(cursor.fd, { above: null, name: "", known }, options);
    for (;;) {
      await pace();
      const next = level.names.pop();
      if (next !== undefined) {
        memory.take(next.name.length);
        level = scanEntry(cursor, level, next, options);
        continue;
      }
      if (level.above === null) return leave(level);
      cursor.up();
      level.above.below.set(level.name, leave(level));
      level = level.above;
    }
  } finally {
    cursor.close();
  }
}

type TreePosition = Pick<Level, "above" | "name" | "known">;

function enter(dir: number, position: TreePosition, { clockMs, excludes }: ScanTreeOptions): Level {
  const { mode, ino, ctimeMs } = fs.fstatSync(dir);
  // The next scan would miss a name that appears within the same tick of the clock.
  const seen = ctimeMs < clockMs ? { ino, ctimeMs } : NEVER_SCANNED;
  const level = { ...position, mode: mode & 0o7777, seen };
  const { known } = position;
  if (known?.below && known.ino === ino && known.ctimeMs === ctimeMs) {
    const names = Array.from(known.below, ([name, { kind }]) => ({ name, kind }));
    return { ...level, below: new Map(), names };
  }
  const names = readNames(dir).filter((next) => isPart(next, position, excludes));
  return { ...level, below: new Map(), names };
}

const PARTS = new Set<FileKind>(["file", "symlink", "directory"]);

function isPart(
  { name, kind }: NamedKind,
  position: TreePosition,
  excludes: ScanTreeOptions["excludes"],
): boolean {
  if (!PARTS.has(kind)) return false;
  const names = [name];
  // The cost of judging a path grows with its length. Names further above were judged on the way down.
  for (let at: TreePosition = position; at.above !== null && names.length < MAX_JUDGED_NAMES; at = at.above)
    names.push(at.name);
  return !excludes(names.reverse().join("/") + (kind === "directory" ? "/" : ""));
}

/** Returns the level to continue with: the entered directory's, or the same one. */
function scanEntry(cursor: Cursor, level: Level, { name, kind }: NamedKind, options: ScanTreeOptions): Level {
  const known = level.known?.below?.get(name);
  try {
    if (kind === "directory" && mayEnter(cursor.fd, name)) {
      cursor.down(name);
      return enter(cursor.fd, { above: level, name, known }, options);
    }
    const stat = fs.lstatSync(childPath(cursor.fd, name));
    const rights = options.keepsReadable ? rightsToRead(kind) : 0;
    if (isNewlyUnreadable(stat.mode, rights, known)) {
      allowAt(cursor.fd, name, rights);
      level.names.push({ name, kind });
      return level;
    }
    const seen = entryOf(stat, known);
    if (seen !== null) level.below.set(name, seen);
  } catch (error) {
    if (!UNREACHABLE.has(osErrorCode(error) ?? "")) throw error;
  }
  return level;
}

/** An entry that is unreadable in the project is unreadable in the copy too, and stays so. */
function isNewlyUnreadable(mode: number, rights: number, known: ScannedEntry | undefined): boolean {
  const wasReadable = known === undefined || (known.mode & rights) === rights;
  return wasReadable && (mode & rights) !== rights;
}

/** The cursor could not leave an unreadable directory again. */
function mayEnter(dir: number, name: string): boolean {
  if (process.geteuid?.() === 0) return true;
  try {
    fs.accessSync(childPath(dir, name), fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return false;
    throw error;
  }
}

/** The content of a directory that may not be entered counts as unchanged. */
function entryOf(stat: fs.Stats, known: ScannedEntry | undefined): ScannedEntry | null {
  const seen = stat.isDirectory()
    ? createScannedDirectory(stat.mode, known?.below ?? new Map())
    : createScannedFile(stat);
  return seen && known && isSame(seen, known) ? known : seen;
}

function isSame(a: ScannedEntry, b: ScannedEntry): boolean {
  if (a.kind !== b.kind || a.mode !== b.mode) return false;
  return a.kind === "directory" || (a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.size === b.size);
}

/** The known entry of a directory if nothing in it changed, else a new one. */
function leave({ known, mode, seen, below }: Level): ScannedEntry {
  if (known === undefined || known.mode !== mode || !haveSameEntries(known.below, below))
    return createScannedDirectory(mode, below, seen);
  return Object.assign(known, seen);
}

function haveSameEntries(known: ScannedEntry["below"], found: Map<string, ScannedEntry>): boolean {
  if (known?.size !== found.size) return false;
  for (const [name, entry] of found) if (known.get(name) !== entry) return false;
  return true;
}

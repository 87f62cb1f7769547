import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { createCursor } from "./cursor.ts";
import { decodeName } from "./names.ts";
import { childPath, fdPath, TEMP_PREFIX } from "./paths.ts";

export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

export interface NamedKind {
  readonly name: string;
  readonly kind: FileKind;
}

/** One step of a tour through a tree. `dir` and `trail` are valid until the next step. */
export interface TreeStep extends NamedKind {
  readonly step: "entry" | "enter" | "leave";
  /** The open directory that holds `name`, or on `enter` the one entered. */
  readonly dir: number;
  /** On `enter`, the directory's stat. */
  readonly stat?: fs.Stats;
  /** The names from the start of the tour, this one last. */
  readonly trail: readonly string[];
}

export interface WalkTreeOptions {
  /** Whether to enter this directory; by default the tour enters all. */
  readonly enters?: (trail: readonly string[]) => boolean;
  /** Called for a directory that cannot be listed, which then counts as empty. Without this, the tour throws there. */
  readonly unreadable?: (trail: readonly string[]) => void;
  /** Also visit hotcell's own temporary files. */
  readonly temporary?: boolean;
  /** Give the owner all rights to each entered directory, or the rights to read it to those that are closed. */
  readonly unlock?: boolean | "closed";
  /** Supplies the names in an open directory; by default the tour lists it. */
  readonly namesIn?: NamesIn;
}

export type NamesIn = (dir: number, stat: fs.Stats) => readonly NamedKind[];

/** Visits everything below an open directory, in order of names, and follows no link. A directory has an `enter` and a `leave`, or one `entry` if it is not entered. */
export function* walkTree(
  start: number,
  { enters = () => true, unreadable, temporary = false, unlock = false, namesIn }: WalkTreeOptions = {},
): Generator<TreeStep, void, void> {
  const read: NamesIn = namesIn ?? ((dir) => readNames(dir, temporary));
  const cursor = createCursor(start);
  const trail: string[] = [];
  // The entries still to visit in each directory on the trail, last first.
  const levels: NamedKind[][] = [];
  const open = (stat: fs.Stats) => {
    const isClosed = unlock === "closed" && (stat.mode & 0o500) !== 0o500;
    if (isClosed || unlock === true) fs.chmodSync(fdPath(cursor.fd), 0o700);
    try {
      levels.push(read(cursor.fd, stat).toReversed());
    } catch (error) {
      if (unreadable === undefined || osErrorCode(error) !== "EACCES") throw error;
      unreadable(trail);
      levels.push([]);
    }
  };
  try {
    for (open(fs.fstatSync(cursor.fd)); levels.length > 0; ) {
      const next = levels.at(-1)!.pop();
      if (next === undefined) {
        levels.pop();
        if (levels.length === 0) return;
        cursor.up();
        yield { step: "leave", name: trail.at(-1)!, kind: "directory", dir: cursor.fd, trail };
        trail.pop();
        continue;
      }
      // Steps are built field by field: spreading `next` would take more time than all the rest.
      const { name, kind } = next;
      trail.push(name);
      if (kind !== "directory" || !enters(trail)) {
        yield { step: "entry", name, kind, dir: cursor.fd, trail };
        trail.pop();
      } else if (tryEnter(cursor, name)) {
        const stat = fs.fstatSync(cursor.fd);
        yield { step: "enter", name, kind, dir: cursor.fd, trail, stat };
        open(stat);
      } else trail.pop();
    }
  } finally {
    cursor.close();
  }
}

/** False if the directory is gone or no longer a directory: the tree may change during a tour. */
export function tryEnter(cursor: { down(name: string): void }, name: string): boolean {
  try {
    cursor.down(name);
    return true;
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return false;
    throw error;
  }
}

/** The names in an open directory, sorted; hotcell's own temporary files only on request. */
export function readNames(dir: number, temporary = false): NamedKind[] {
  const names = readDirectory(dir).filter(({ name }) => temporary || !name.startsWith(TEMP_PREFIX));
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** For tools, which a model can call at any time: millions of names, read in one call, would block the event loop. The session's own work must not fail at such a directory. */
export function readNamesForTool(dir: number, { size } = fs.fstatSync(dir)): NamedKind[] {
  if (size <= LIMITS.maxDirectoryBytes) return readNames(dir);
  throw new HotcellError(
    "FILE_TOO_LARGE",
    `Could not list a directory: its table of names has ${size} bytes, the limit is ${LIMITS.maxDirectoryBytes}.`,
  );
}

function readDirectory(dir: number): NamedKind[] {
  const entries = fs.readdirSync(fdPath(dir), { withFileTypes: true });
  if (!entries.some((entry) => entry.name.includes("\uFFFD")))
    return entries.map((entry) => named(dir, entry.name, entry));
  const raw = fs.readdirSync(fdPath(dir), { withFileTypes: true, encoding: "buffer" });
  return raw.map((entry) => named(dir, decodeName(entry.name), entry));
}

function named(dir: number, name: string, entry: Kinds): NamedKind {
  return { name, kind: kindOf(entry) ?? kindOf(fs.lstatSync(childPath(dir, name))) ?? "device" };
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
}

/** Undefined if the file system does not report the kind in the listing. */
export function kindOf(entry: Kinds): FileKind | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  if (entry.isBlockDevice() || entry.isCharacterDevice()) return "device";
  return undefined;
}

// No-follow access for commits. It opens a path from the project's open directory, name by name, and follows no
// link, not even one that stays inside. If somebody swaps a directory for a link meanwhile, the access fails.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Cooperative } from "./cooperative.ts";
import { decodeName, showName } from "./names.ts";
import { joinPath } from "./path-text.ts";
import { childPath, fdPath, openChildDirectory, type Root, TEMP_PREFIX } from "./paths.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** A name in an open directory, whether an entry exists or not. */
export interface EntryRef {
  readonly dir: number;
  readonly name: string;
}

/** Why there is no ref: a parent directory is missing, or is not a directory. */
export type Unreachable = "missing" | "blocked";

/** The directory stays open until `work` ends. `path` is canonical and not the root itself. */
export function atExactPath<T>(root: Root, path: string, work: (ref: EntryRef | Unreachable) => T): T {
  const walk = startWalk(root);
  try {
    return work(walkToEntry(walk, path));
  } finally {
    walk.close();
  }
}

/** `atExactPath` for work that yields. */
export function* atExactPathCooperatively<T>(
  root: Root,
  path: string,
  work: (ref: EntryRef | Unreachable) => Cooperative<T>,
): Cooperative<T> {
  const walk = startWalk(root);
  try {
    return yield* work(walkToEntry(walk, path));
  } finally {
    walk.close();
  }
}

function walkToEntry(walk: Walk, path: string): EntryRef | Unreachable {
  const names = namesOf(path);
  const name = names.pop()!;
  const obstacle = walk.leap(names) ? null : walk.descend(names);
  return obstacle ?? { dir: walk.dir, name };
}

/** Opens the entry for reading, with all names in one call and O_NONBLOCK; null if the path has to be walked. The caller closes the descriptor. */
export function tryOpenInOneCall(root: Root, path: string): number | null {
  if (root.followsNoLinks !== true) return null;
  const name = namesOf(path).join("/");
  try {
    return fs.openSync(childPath(root.fd, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** `""` is the root itself. `dir` is null if the directory does not exist. */
export function inDirectory<T>(root: Root, directory: string, work: (dir: number | null) => T): T {
  const walk = startWalk(root);
  try {
    return work(walkToDirectory(walk, directory));
  } finally {
    walk.close();
  }
}

function walkToDirectory(walk: Walk, directory: string): number | null {
  const names = directory === "" ? [] : namesOf(directory);
  return walk.leap(names) || walk.descend(names) === null ? walk.dir : null;
}

/** Visits the existing directories above the path, from the root down. */
export function visitParents(
  root: Root,
  path: string,
  visit: (dir: number, directory: string) => void,
): void {
  const names = namesOf(path).slice(0, -1);
  const walk = startWalk(root);
  try {
    visit(walk.dir, "");
    let directory = "";
    for (const name of names) {
      if (walk.down(name) !== null) return;
      directory = joinPath(directory, name);
      visit(walk.dir, directory);
    }
  } finally {
    walk.close();
  }
}

export const entryPath = ({ dir, name }: EntryRef): string | Buffer => childPath(dir, name);

export function entryExists(ref: EntryRef): boolean {
  return fs.lstatSync(entryPath(ref), { throwIfNoEntry: false }) !== undefined;
}

type Walk = ReturnType<typeof startWalk>;

/** Keeps one directory open at a time, at any depth. */
function startWalk(root: Root) {
  let dir = root.fd;
  const moveTo = (next: number) => {
    if (dir !== root.fd) fs.closeSync(dir);
    dir = next;
  };
  const down = (name: string): Unreachable | null => {
    try {
      moveTo(openChildDirectory(dir, name));
      return null;
    } catch (error) {
      const code = osErrorCode(error);
      if (code === "ENOENT") return "missing";
      if (code === "ENOTDIR") return "blocked";
      throw error;
    }
  };
  return {
    get dir() {
      return dir;
    },
    down,
    descend(names: readonly string[]): Unreachable | null {
      for (const name of names) {
        const obstacle = down(name);
        if (obstacle !== null) return obstacle;
      }
      return null;
    },
    /** Opens all names in one call; false if they have to be opened one by one. */
    leap(names: readonly string[]): boolean {
      const next = names.length < MIN_LEAP_NAMES ? null : tryLeap(root, names.join("/"));
      if (next !== null) moveTo(next);
      return next !== null;
    },
    close: () => moveTo(root.fd),
  };
}

/** `down` opens a single name as fast. */
const MIN_LEAP_NAMES = 2;

/** Null if the path had a link or the root was moved: then the real path of the descriptor differs from the expected one. */
function tryLeap(root: Root, directory: string): number | null {
  let fd: number | null = null;
  try {
    fd = openChildDirectory(root.fd, directory);
    if (root.followsNoLinks) return fd;
    const found = decodeName(fs.readlinkSync(fdPath(fd), "buffer"));
    if (found === `${root.path === "/" ? "" : root.path}/${directory}`) return fd;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
  if (fd !== null) fs.closeSync(fd);
  return null;
}

function namesOf(path: string): string[] {
  const names = path.split("/");
  const isPlain = (name: string) => !["", ".", ".."].includes(name) && !name.includes("\0");
  if (names.every((name) => isPlain(name) && !name.startsWith(TEMP_PREFIX))) return names;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not commit "${showName(path)}": it is not a relative path without "." and "..".`,
    {
      path,
    },
  );
}

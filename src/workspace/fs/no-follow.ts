// A commit works at exactly the paths that it names: from the project's open directory, name by name, and
// no link is followed, not even one that stays inside. A directory that somebody swaps meanwhile leads nowhere.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Pieces } from "./cooperative.ts";
import { decodeName, showName } from "./names.ts";
import { childPath, fdPath, openChildDirectory, type Root, TEMP_PREFIX } from "./paths.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** A name in an open directory, whether something is there or not. */
export interface Spot {
  readonly dir: number;
  readonly name: string;
}

/** Why there is no spot: a directory on the way is not there, or something that is no directory is. */
export type NoWay = "missing" | "blocked";

/** The directory is open until the work ends. `path` is canonical and not the root's own. */
export function atExactly<T>(root: Root, path: string, work: (spot: Spot | NoWay) => T): T {
  const way = openWay(root);
  try {
    return work(goTo(way, path));
  } finally {
    way.close();
  }
}

/** The same for work in pieces. */
export function* piecesAtExactly<T>(
  root: Root,
  path: string,
  work: (spot: Spot | NoWay) => Pieces<T>,
): Pieces<T> {
  const way = openWay(root);
  try {
    return yield* work(goTo(way, path));
  } finally {
    way.close();
  }
}

function goTo(way: Way, path: string): Spot | NoWay {
  const names = namesOf(path);
  const name = names.pop()!;
  const hindrance = way.leap(names) ? null : way.descend(names);
  return hindrance ?? { dir: way.dir, name };
}

/** Opens what is there to be read, all names at once and without waiting; null when it has to be gone to. The caller closes it. */
export function tryOpenAtOnce(root: Root, path: string): number | null {
  if (root.followsNoLinks !== true) return null;
  const name = namesOf(path).join("/");
  try {
    return fs.openSync(childPath(root.fd, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The root's own directory is `""`; null when there is none. */
export function inDirectory<T>(root: Root, directory: string, work: (dir: number | null) => T): T {
  const way = openWay(root);
  try {
    return work(goInto(way, directory));
  } finally {
    way.close();
  }
}

function goInto(way: Way, directory: string): number | null {
  const names = directory === "" ? [] : namesOf(directory);
  return way.leap(names) || way.descend(names) === null ? way.dir : null;
}

/** Visits the directories that are there, of those that lead to the path, from the root down. */
export function onTheWay(root: Root, path: string, visit: (dir: number, directory: string) => void): void {
  const names = namesOf(path).slice(0, -1);
  const way = openWay(root);
  try {
    visit(way.dir, "");
    let directory = "";
    for (const name of names) {
      if (way.down(name) !== null) return;
      directory = directory === "" ? name : `${directory}/${name}`;
      visit(way.dir, directory);
    }
  } finally {
    way.close();
  }
}

export const pathTo = ({ dir, name }: Spot): string | Buffer => childPath(dir, name);

export function isThere(spot: Spot): boolean {
  return fs.lstatSync(pathTo(spot), { throwIfNoEntry: false }) !== undefined;
}

type Way = ReturnType<typeof openWay>;

/** One directory is open at a time, however deep it goes. */
function openWay(root: Root) {
  let dir = root.fd;
  const moveTo = (next: number) => {
    if (dir !== root.fd) fs.closeSync(dir);
    dir = next;
  };
  const down = (name: string): NoWay | null => {
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
    descend(names: readonly string[]): NoWay | null {
      for (const name of names) {
        const hindrance = down(name);
        if (hindrance !== null) return hindrance;
      }
      return null;
    },
    /** Opens all names at once; false when it has to be done one by one. */
    leap(names: readonly string[]): boolean {
      const next = names.length < WORTH_A_LEAP ? null : tryLeap(root, names.join("/"));
      if (next !== null) moveTo(next);
      return next !== null;
    },
    close: () => moveTo(root.fd),
  };
}

/** A single name is opened as quickly. */
const WORTH_A_LEAP = 2;

/** Null when a link was on the way, or the root was moved: then it is somewhere else than it was looked for. */
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
  throw new HotcellError("INVALID_ARGUMENTS", `Could not commit "${showName(path)}": it is no plain path.`, {
    path,
  });
}

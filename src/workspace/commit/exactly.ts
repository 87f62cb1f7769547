// A commit works at exactly the paths that it names: from the project's open directory, name by name, and
// no link is followed, not even one that stays inside. A directory that somebody swaps meanwhile leads nowhere.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { showName } from "../names.ts";
import { childPath, openChildDirectory, type Root, TEMP_PREFIX } from "../paths.ts";

/** A name in an open directory, whether something is there or not. */
export interface Spot {
  readonly dir: number;
  readonly name: string;
}

/** Why there is no spot: a directory on the way is not there, or something that is no directory is. */
export type NoWay = "missing" | "blocked";

/** The directory is open until the work ends. `path` is canonical and not the root's own. */
export function atExactly<T>(root: Root, path: string, work: (spot: Spot | NoWay) => T): T {
  const names = namesOf(path);
  const name = names.pop()!;
  const way = openWay(root);
  try {
    for (const directory of names) {
      const hindrance = way.down(directory);
      if (hindrance !== null) return work(hindrance);
    }
    return work({ dir: way.dir, name });
  } finally {
    way.close();
  }
}

/** Visits the directories that are there, of those that lead to the path, from the root down. */
export function onTheWay(root: Root, path: string, visit: (dir: number, directory: string) => void): void {
  const names = namesOf(path).slice(0, -1);
  const way = openWay(root);
  try {
    visit(way.dir, "");
    for (let depth = 1; depth <= names.length; depth++) {
      if (way.down(names[depth - 1]!) !== null) return;
      visit(way.dir, names.slice(0, depth).join("/"));
    }
  } finally {
    way.close();
  }
}

export const pathTo = ({ dir, name }: Spot): string | Buffer => childPath(dir, name);

export function isThere(spot: Spot): boolean {
  return fs.lstatSync(pathTo(spot), { throwIfNoEntry: false }) !== undefined;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** The directories that lead to the path, from the top. */
export function* parentsOf(path: string): Generator<string, void, void> {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
}

/** One directory is open at a time, however deep it goes. */
function openWay(root: Root) {
  let dir = root.fd;
  const moveTo = (next: number) => {
    if (dir !== root.fd) fs.closeSync(dir);
    dir = next;
  };
  return {
    get dir() {
      return dir;
    },
    down(name: string): NoWay | null {
      try {
        moveTo(openChildDirectory(dir, name));
        return null;
      } catch (error) {
        const code = osErrorCode(error);
        if (code === "ENOENT") return "missing";
        if (code === "ENOTDIR") return "blocked";
        throw error;
      }
    },
    close: () => moveTo(root.fd),
  };
}

function namesOf(path: string): string[] {
  const names = path.split("/");
  const isPlain = (name: string) => !["", ".", ".."].includes(name) && !name.includes("\0");
  if (names.every((name) => isPlain(name) && !name.startsWith(TEMP_PREFIX))) return names;
  throw new HotcellError("INVALID_ARGUMENTS", `Could not commit "${showName(path)}": it is no plain path.`, {
    path,
  });
}

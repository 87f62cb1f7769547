import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { type Cursor, createCursor } from "./cursor.ts";
import { childPath, O_PATH } from "./paths.ts";

/** Goes along with a tour, in another tree: there it opens only what it is asked for. */
export interface Follower {
  enter(name: string): void;
  leave(): void;
  /** The open directory where the tour is now; null when this tree has none there. */
  dir(): number | null;
  /** What the directory of this name is like, without opening it; null when there is none. */
  like(name: string): fs.Stats | null;
  close(): void;
}

/** `at` is the way to a directory that only we can rename. */
export function createFollower(at: string): Follower {
  const trail: string[] = [];
  let cursor: Cursor | null = null;
  /** How many names of the trail the cursor has gone down. */
  let depth = 0;
  const dir = (): number | null => {
    cursor ??= cursorAt(at);
    for (; depth < trail.length; depth++) if (!tryDown(cursor, trail[depth]!)) return null;
    return cursor.fd;
  };
  return {
    dir,
    like(name) {
      const holder = dir();
      const stat =
        holder === null ? undefined : fs.lstatSync(childPath(holder, name), { throwIfNoEntry: false });
      return stat?.isDirectory() ? stat : null;
    },
    enter: (name) => void trail.push(name),
    leave() {
      trail.pop();
      if (depth <= trail.length) return;
      cursor!.up();
      depth--;
    },
    close: () => cursor?.close(),
  };
}

function cursorAt(at: string): Cursor {
  const fd = fs.openSync(at, O_PATH | fs.constants.O_DIRECTORY);
  try {
    return createCursor(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function tryDown(cursor: Cursor, name: string): boolean {
  try {
    cursor.down(name);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(osErrorCode(error) ?? "")) return false;
    throw error;
  }
}

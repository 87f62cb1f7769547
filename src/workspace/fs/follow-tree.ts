import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { type Cursor, createCursor } from "./cursor.ts";
import { childPath, O_PATH } from "./paths.ts";

/** Follows a tour in another tree. It opens directories there only on demand. */
export interface Follower {
  enter(name: string): void;
  leave(): void;
  /** The open directory at the tour's position; null if this tree has none there. */
  dir(): number | null;
  /** The stat of the directory with this name, without opening it; null if there is none. */
  like(name: string): fs.Stats | null;
  close(): void;
}

/** `at` is the path of a directory that only hotcell can rename. */
export function createFollower(at: string): Follower {
  const trail: string[] = [];
  let cursor: Cursor | null = null;
  /** How many names of the trail the cursor has entered. */
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

// Moving through a tree of any depth with one open directory at a time: going up is opening `..` and
// checking that it is the directory we came from.
import fs from "node:fs";
import { HotcellError } from "../core/errors.ts";
import { openChild, openChildDirectory } from "./paths.ts";

interface Identity {
  readonly dev: number;
  readonly ino: number;
}

export interface Cursor {
  readonly fd: number;
  down(name: string): void;
  up(): void;
  close(): void;
}

/** Starts in an open directory, which stays the caller's. */
export function createCursor(start: number): Cursor {
  const above: Identity[] = [];
  let fd = openChild(start, ".");

  const moveTo = (next: number) => {
    fs.closeSync(fd);
    fd = next;
  };
  return {
    get fd() {
      return fd;
    },
    down(name) {
      const next = openChildDirectory(fd, name);
      const { dev, ino } = fs.fstatSync(fd);
      above.push({ dev, ino });
      moveTo(next);
    },
    up() {
      const { dev, ino } = above.pop()!;
      const next = openChild(fd, "..");
      moveTo(next);
      const found = fs.fstatSync(next);
      if (found.dev !== dev || found.ino !== ino) {
        throw new HotcellError(
          "EXECUTION_ERROR",
          "A directory was moved away while it was being walked. Try again.",
        );
      }
    },
    close() {
      fs.closeSync(fd);
    },
  };
}

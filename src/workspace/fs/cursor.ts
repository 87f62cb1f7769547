// Moves through a tree of any depth with few open directories. Directories near the start stay open. Further down,
// `up` opens `..` and checks that it is the directory that the cursor came from.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { openChild, openChildDirectory } from "./paths.ts";

const MAX_HELD = 24;

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

/** Starts in an open directory that the caller still owns. `closeDirectory` lets others keep using directories that the cursor leaves. */
export function createCursor(start: number, closeDirectory: (fd: number) => void = fs.closeSync): Cursor {
  const held: number[] = [];
  const left: Identity[] = [];
  let fd = openChild(start, ".");

  return {
    get fd() {
      return fd;
    },
    down(name) {
      const next = openChildDirectory(fd, name);
      if (held.length < MAX_HELD) held.push(fd);
      else {
        left.push(identityOf(fd));
        closeDirectory(fd);
      }
      fd = next;
    },
    up() {
      const above = left.pop();
      const next = above === undefined ? held.pop()! : openParent(fd, above);
      closeDirectory(fd);
      fd = next;
    },
    close() {
      for (const open of [...held, fd]) closeDirectory(open);
    },
  };
}

function identityOf(dir: number): Identity {
  const { dev, ino } = fs.fstatSync(dir);
  return { dev, ino };
}

function openParent(dir: number, { dev, ino }: Identity): number {
  const above = openChild(dir, "..");
  const found = fs.fstatSync(above);
  if (found.dev === dev && found.ino === ino) return above;
  fs.closeSync(above);
  throw new HotcellError("EXECUTION_ERROR", "A directory moved during the walk. Try again.");
}

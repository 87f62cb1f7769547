// A chunk of a walk while it is put together, and the directories that it holds open.
import fs from "node:fs";
import { openChildDirectory } from "../paths.ts";
import type { Chunk, Entered, Run } from "./messages.ts";

/** An open directory that several chunks may need. */
export interface HeldDirectory {
  readonly fd: number;
  hold(): void;
  release(): void;
}

/** Held once, by whoever opens it. */
export function holdDirectory(dir: number): HeldDirectory {
  const fd = openChildDirectory(dir, ".");
  let holders = 1;
  return {
    fd,
    hold() {
      holders++;
    },
    release() {
      if (--holders === 0) fs.closeSync(fd);
    },
  };
}

export interface WalkedChunk extends Omit<Chunk, "number"> {
  readonly files: number;
  /** When nobody opens files in its directories any more. */
  close(): void;
}

export interface ChunkInMaking extends WalkedChunk {
  readonly entered: Entered[];
  unreadable: number;
  /** The next file, in a directory that is held and has this path. */
  add(dir: HeldDirectory, path: string, name: string): void;
}

export function startChunk(): ChunkInMaking {
  const runs: Run[] = [];
  const held: HeldDirectory[] = [];
  let files = 0;
  return {
    runs,
    entered: [],
    unreadable: 0,
    get files() {
      return files;
    },
    add(dir, path, name) {
      files++;
      const last = runs.at(-1);
      if (last?.dir === dir.fd) {
        last.names.push(name);
        return;
      }
      dir.hold();
      held.push(dir);
      runs.push({ dir: dir.fd, path, names: [name] });
    },
    close() {
      for (const dir of held.splice(0)) dir.release();
    },
  };
}

// Builds a chunk of a walk, and keeps its directories open by reference counts.
import fs from "node:fs";
import type { Chunk, EnteredDirectory, SearchRun } from "./workers/messages.ts";

/** Open directories that chunks may still need after the walk has left them. */
export interface SharedDirectories {
  hold(fd: number): void;
  /** Closes the directory unless it has another holder. The opener counts as a holder too. */
  release(fd: number): void;
}

export function createSharedDirectories(): SharedDirectories {
  /** Holders beside the first. */
  const others = new Map<number, number>();
  return {
    hold(fd) {
      others.set(fd, (others.get(fd) ?? 0) + 1);
    },
    release(fd) {
      const left = others.get(fd) ?? 0;
      if (left === 0) fs.closeSync(fd);
      else if (left === 1) others.delete(fd);
      else others.set(fd, left - 1);
    },
  };
}

export interface WalkedChunk extends Omit<Chunk, "number"> {
  readonly entered: readonly EnteredDirectory[];
  readonly files: number;
  /** Call this when no worker opens files in its directories any more. */
  close(): void;
}

export interface UnfinishedChunk extends WalkedChunk {
  readonly entered: EnteredDirectory[];
  unreadable: number;
  /** Adds the next file, in an open directory with this path. */
  add(dir: number, path: string, name: string): void;
}

export function startChunk({ hold, release }: SharedDirectories): UnfinishedChunk {
  const runs: SearchRun[] = [];
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
      if (last?.dir === dir) last.names.push(name);
      else {
        hold(dir);
        runs.push({ dir, path, names: [name] });
      }
    },
    close() {
      for (const { dir } of runs) release(dir);
    },
  };
}

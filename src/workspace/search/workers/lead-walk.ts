// The walking process: it asks about each chunk of its walk, walks on meanwhile, and searches the chunks that are dealt to it.
import fs from "node:fs";
import { type ScanChunkOptions, scanChunk } from "../scan/scan-chunk.ts";
import type { WalkedChunk } from "../walk-chunk.ts";
import type { FileWalk } from "../walk-files.ts";
import { packEntered, packRuns, withoutFiles } from "./packed-walk.ts";
import type { AskerLink } from "./parent-channel.ts";

/** Few at first, so that the first results come at once. */
const FIRST_CHUNK_FILES = 4;
const MAX_CHUNK_FILES = 256;
/** The most chunks that nobody was given yet: enough that the walk goes on while the asking process waits for its turn. */
const MAX_ASKED = 12;
/** Directories of chunks that are not done with: with more open than this, the walk waits. Half of the descriptors are for all else. */
const MAX_OPEN_DIRECTORIES = Math.min(480, descriptorLimit() / 2);

/** Until the end of the walk, or until nothing more is wanted. Gives how many chunks there were. */
export function leadWalk(walk: FileWalk, search: number, link: AskerLink, options: ScanChunkOptions): number {
  /** Those that somebody may still use. */
  const open = new Map<number, WalkedChunk>();
  let directories = 0;
  let asked = 0;
  let dealt = 0;
  let files = FIRST_CHUNK_FILES;
  let isAtEnd = false;

  const ask = (): void => {
    const chunk = walk.next(files, link.stopped);
    isAtEnd = chunk === null || link.stopped();
    if (chunk === null) return;
    const { runs, entered, unreadable } = chunk;
    open.set(asked++, chunk);
    directories += runs.length;
    files = Math.min(2 * files, MAX_CHUNK_FILES);
    link.post({ kind: "ask", search, unreadable, ...packRuns(runs), ...packEntered(entered) });
  };
  const close = (number: number): void => {
    const chunk = open.get(number)!;
    chunk.close();
    directories -= chunk.runs.length;
    open.delete(number);
  };
  const mayAsk = (): boolean =>
    !isAtEnd && directories <= MAX_OPEN_DIRECTORIES && asked - dealt < Math.min(dealt + 1, MAX_ASKED);

  try {
    for (;;) {
      while (mayAsk()) ask();
      if (open.size === 0) return asked;
      const told = link.next();
      if (told.kind === "helped") close(told.number);
      else if (told.kind === "given") dealt++;
      else if (told.kind === "scan") {
        dealt++;
        const { runs, unreadable } = open.get(told.number)!;
        scanChunk({ number: told.number, runs: withoutFiles(runs, told.refused), unreadable }, options);
        close(told.number);
      }
    }
  } finally {
    for (const chunk of open.values()) chunk.close();
  }
}

function descriptorLimit(): number {
  const found = /^Max open files +(\d+)/m.exec(fs.readFileSync("/proc/self/limits", "latin1"));
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}

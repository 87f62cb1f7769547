// The walking process: it asks about each chunk of its walk, walks on meanwhile, and searches the chunks that are dealt to it.
import type { AskerLink } from "./asker-link.ts";
import { packEntered, packRuns, withoutFiles } from "./packed-walk.ts";
import { type ScanChunkOptions, scanChunk } from "./scan-chunk.ts";
import type { WalkedChunk } from "./walk-chunk.ts";
import type { FileWalk } from "./walk-files.ts";

/** Few at first, so that the first results come at once. */
const FIRST_CHUNK_FILES = 4;
const MAX_CHUNK_FILES = 256;
/** The most chunks that nobody was given yet: enough that the walk goes on while the asking process waits for its turn. */
const MAX_ASKED = 12;

/** Until the end of the walk, or until nothing more is wanted. Gives how many chunks there were. */
export function leadWalk(walk: FileWalk, search: number, link: AskerLink, options: ScanChunkOptions): number {
  /** Those that somebody may still use. */
  const open = new Map<number, WalkedChunk>();
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
    files = Math.min(2 * files, MAX_CHUNK_FILES);
    link.post({ kind: "ask", search, unreadable, ...packRuns(runs), ...packEntered(entered) });
  };
  const close = (number: number): void => {
    open.get(number)!.close();
    open.delete(number);
  };

  try {
    for (;;) {
      while (!isAtEnd && asked - dealt < Math.min(dealt + 1, MAX_ASKED)) ask();
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

// The walking worker: it asks the parent about each chunk, walks on meanwhile, and searches the chunks assigned to it.
import fs from "node:fs";
import { type ScanChunkOptions, scanChunk } from "../scan/scan-chunk.ts";
import type { WalkedChunk } from "../walk-chunk.ts";
import type { FileWalk } from "../walk-files.ts";
import { packEntered, packRuns, withoutFiles } from "./packed-walk.ts";
import type { ParentChannel } from "./parent-channel.ts";

/** The first chunk is small, so that the first results arrive early. */
const FIRST_CHUNK_FILES = 4;
const MAX_CHUNK_FILES = 256;
/** The maximum number of unassigned chunks: enough for the walk to continue while the parent's event loop is busy. */
const MAX_ASKED = 12;
/** If unfinished chunks keep more directories open than this, the walk waits. Half of the descriptors are for other uses. */
const MAX_OPEN_DIRECTORIES = Math.min(480, descriptorLimit() / 2);

/** Runs until the end of the walk, or until stopped. Returns the number of chunks. */
export function leadWalk(
  walk: FileWalk,
  search: number,
  channel: ParentChannel,
  options: ScanChunkOptions,
): number {
  /** The chunks that a worker may still use. */
  const open = new Map<number, WalkedChunk>();
  let directories = 0;
  let asked = 0;
  let assigned = 0;
  let files = FIRST_CHUNK_FILES;
  let isAtEnd = false;

  const ask = (): void => {
    const chunk = walk.next(files, channel.stopped);
    isAtEnd = chunk === null || channel.stopped();
    if (chunk === null) return;
    const { runs, entered, unreadable } = chunk;
    open.set(asked++, chunk);
    directories += runs.length;
    files = Math.min(2 * files, MAX_CHUNK_FILES);
    channel.post({ kind: "ask", search, unreadable, ...packRuns(runs), ...packEntered(entered) });
  };
  const close = (number: number): void => {
    const chunk = open.get(number)!;
    chunk.close();
    directories -= chunk.runs.length;
    open.delete(number);
  };
  const mayAsk = (): boolean =>
    !isAtEnd && directories <= MAX_OPEN_DIRECTORIES && asked - assigned < Math.min(assigned + 1, MAX_ASKED);

  try {
    for (;;) {
      while (mayAsk()) ask();
      if (open.size === 0) return asked;
      const task = channel.next();
      if (task.kind === "helped") close(task.number);
      else if (task.kind === "given") assigned++;
      else if (task.kind === "scan") {
        assigned++;
        const { runs, unreadable } = open.get(task.number)!;
        scanChunk({ number: task.number, runs: withoutFiles(runs, task.refused), unreadable }, options);
        close(task.number);
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

// Searches the files of a chunk, one after the other.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../../core/errors.ts";
import { joinPath } from "../../fs/path-text.ts";
import type { Chunk, SearchRun } from "../workers/messages.ts";
import type { Outbox } from "../workers/outbox.ts";
import type { ScanText } from "./scan-text.ts";
import { fromUtf16, openText } from "./text-source.ts";

export interface Directories {
  /** Returns a function that opens a name in an open directory for reading, such that no read blocks. It throws for a link and for an entry that cannot be opened. */
  enter(dir: number): (name: string) => number;
  /** No directory is used from now on. */
  leave(): void;
}

export interface ScanChunkOptions {
  readonly directories: Directories;
  readonly scan: ScanText;
  readonly outbox: Outbox;
  readonly stopped: () => boolean;
  /** The result of the function of this name for the start of the search. */
  readonly readsToTheEnd: boolean;
}

/** Skips the rest once stopped. */
export function scanChunk(chunk: Chunk, options: ScanChunkOptions): void {
  const { directories, outbox, stopped } = options;
  outbox.begin(chunk);
  try {
    for (const run of chunk.runs) if (run.names.length > 0 && !stopped()) scanRun(run, options);
  } finally {
    directories.leave();
  }
  outbox.end();
}

/** Searches a single open file. */
export function scanAlone(
  fd: number,
  path: string,
  { scan, outbox }: Pick<ScanChunkOptions, "scan" | "outbox">,
): void {
  outbox.begin({ number: 0, unreadable: 0 });
  outbox.file(path);
  try {
    scanFile(fd, false, scan, outbox);
  } catch (error) {
    countUnreadable(error, outbox);
  }
  outbox.end();
}

function scanRun({ dir, path, names }: SearchRun, options: ScanChunkOptions): void {
  const { directories, scan, outbox, stopped, readsToTheEnd } = options;
  const open = directories.enter(dir);
  for (const name of names) {
    if (stopped()) return;
    try {
      const fd = open(name);
      outbox.file(joinPath(path, name));
      try {
        scanFile(fd, readsToTheEnd, scan, outbox);
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      countUnreadable(error, outbox);
    }
  }
}

function scanFile(fd: number, readsToTheEnd: boolean, scan: ScanText, outbox: Outbox): void {
  let partlySearched = 0;
  const onPartlySearched = () => {
    partlySearched++;
  };
  const watch = { onHit: outbox.hit, onPartlySearched };
  const kind = scan(openText(fd, readsToTheEnd), watch);
  const isUtf16 = kind === "utf-16le" || kind === "utf-16be";
  if ((isUtf16 ? scan(fromUtf16(fd, kind), watch) : kind) === "binary") outbox.isBinary();
  // Reported at the end: how much of a file was searched when a hit is sent depends on which process is faster.
  outbox.isPartlySearched(partlySearched);
}

/** Counts a file that is unreadable or gone. */
function countUnreadable(error: unknown, outbox: Outbox): void {
  if (error instanceof HotcellError || osErrorCode(error) === undefined) throw error;
  outbox.isUnreadable();
}

// Searches the files of a chunk, one after the other.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { beneath } from "../path-text.ts";
import type { Chunk, Hit } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { ScanText } from "./scan-text.ts";
import { fromUtf16, openText } from "./text-source.ts";

export interface Directories {
  /** Gives what opens a name in an open directory to be read, whatever it is: nothing that is read from it keeps anybody waiting. What can't be opened throws, a link too. */
  enter(dir: number): (name: string) => number;
  /** From now on none is used. */
  leave(): void;
}

export interface ScanChunkOptions {
  readonly directories: Directories;
  readonly scan: ScanText;
  readonly outbox: Outbox;
  readonly stopped: () => boolean;
}

/** When nothing more is wanted, the rest is left out. */
export function scanChunk(chunk: Chunk, { directories, scan, outbox, stopped }: ScanChunkOptions): void {
  outbox.begin(chunk);
  try {
    for (const { dir, path, names } of chunk.runs) {
      if (names.length === 0 || stopped()) continue;
      const open = directories.enter(dir);
      for (const name of names) {
        if (stopped()) break;
        trying(outbox, () => scanName(open(name), beneath(path, name), scan, outbox));
      }
    }
  } finally {
    directories.leave();
  }
  outbox.end();
}

/** The search is of one file alone, which is open. */
export function scanAlone(
  fd: number,
  path: string,
  { scan, outbox }: Pick<ScanChunkOptions, "scan" | "outbox">,
): void {
  outbox.begin({ number: 0, unreadable: 0 });
  outbox.file(path);
  trying(outbox, () => scanFile(fd, scan, outbox));
  outbox.end();
}

function scanName(fd: number, path: string, scan: ScanText, outbox: Outbox): void {
  try {
    outbox.file(path);
    scanFile(fd, scan, outbox);
  } finally {
    fs.closeSync(fd);
  }
}

function scanFile(fd: number, scan: ScanText, outbox: Outbox): void {
  const onHit = (hit: Hit) => outbox.hit(hit);
  const kind = scan(openText(fd), onHit);
  const isUtf16 = kind === "utf-16le" || kind === "utf-16be";
  if ((isUtf16 ? scan(fromUtf16(fd, kind), onHit) : kind) === "binary") outbox.isBinary();
}

/** What the system does not let us read, or what is gone by now, is counted. */
function trying(outbox: Outbox, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof HotcellError || osErrorCode(error) === undefined) throw error;
    outbox.isUnreadable();
  }
}

// Searches the files of a chunk, one after the other.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { beneath } from "../path-text.ts";
import type { Chunk, Hit } from "./messages.ts";
import { openAtOnce } from "./open-regular.ts";
import type { Outbox } from "./outbox.ts";
import type { ScanText } from "./scan-text.ts";
import { fromUtf16, openText } from "./text-source.ts";

export interface ScanChunkOptions {
  readonly scan: ScanText;
  readonly outbox: Outbox;
  readonly stopped: () => boolean;
}

export function scanChunk(chunk: Chunk, { scan, outbox, stopped }: ScanChunkOptions): void {
  outbox.begin(chunk);
  for (const { dir, path, names } of chunk.runs) {
    for (const name of names) {
      if (stopped()) return;
      trying(outbox, () => scanName(dir, path, name, scan, outbox));
    }
  }
  outbox.end();
}

/** The search is of one file alone, which is open. */
export function scanAlone(fd: number, path: string, { scan, outbox }: ScanChunkOptions): void {
  outbox.begin({ number: 0, entered: [], unreadable: 0 });
  outbox.file(path);
  trying(outbox, () => scanFile(fd, scan, outbox));
  outbox.end();
}

function scanName(dir: number, path: string, name: string, scan: ScanText, outbox: Outbox): void {
  const fd = openAtOnce(dir, name);
  try {
    outbox.file(beneath(path, name));
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

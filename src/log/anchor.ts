// The head of a log, kept outside the state directory that the log is in: it tells a log whose end was
// cut off from one that ends there, and where to begin reading at the next open.
import { closeSync, constants, readSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Head } from "./head.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, writeWhole } from "./log-file.ts";

/** One sector: written whole or not at all, and never longer or shorter than before. */
const ANCHOR_BYTES = 512;

export function writeAnchor(fd: number, head: Head): void {
  const text = JSON.stringify(head).padEnd(ANCHOR_BYTES - 1);
  writeWhole(fd, Buffer.from(`${text}\n`), 0);
}

/** The head in an open anchor file; undefined when it holds none. */
export function readAnchor(fd: number): Head | undefined {
  const sector = Buffer.alloc(ANCHOR_BYTES);
  return parseHead(sector.toString("utf8", 0, readSync(fd, sector, 0, ANCHOR_BYTES, 0)));
}

/** The same for a log that is only read. */
export function readAnchorFile(anchorFile: string): Head | undefined {
  const fd = failClosed(anchorFile, () => openIfThere(anchorFile, constants.O_RDONLY));
  if (fd === undefined) return undefined;
  try {
    return readAnchor(fd);
  } finally {
    closeSync(fd);
  }
}

function parseHead(text: string): Head | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isHead(value) ? (value as unknown as Head) : undefined;
  } catch {
    return undefined;
  }
}

function isHead({ seq, hash, firstSeq, bytes, open, openSince }: JsonObject): boolean {
  const counts = [seq, firstSeq, bytes, open].every(
    (count) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  return counts && typeof hash === "string" && (openSince === null || isJsonObject(openSince));
}

// The head of a log, kept outside the state directory that the log is in: it tells a log whose end was
// cut off from one that ends there, and where to begin reading at the next open.
import { closeSync, constants, readSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Head } from "./head.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, writeWhole } from "./log-file.ts";
import type { Link } from "./record.ts";

export interface Anchor extends Head {
  /** The token of the process that wrote this head. */
  readonly writer: string;
  /** The hash of a record that is about to be written, or was when a kill came; null otherwise. */
  readonly next: string | null;
}

/** How many records of a log that ends so its anchor does not vouch for: an announced one stands for all before it. */
export function countBeyond(anchor: Anchor, { seq, hash }: Link): number {
  return hash === anchor.next ? 0 : Math.max(0, seq - anchor.seq);
}

/** One sector: written whole or not at all, and never longer or shorter than before. */
const ANCHOR_BYTES = 512;

export interface AnchorFile {
  readonly fd: number;
  write(anchor: Anchor): void;
}

export function createAnchorFile(fd: number): AnchorFile {
  const sector = Buffer.alloc(ANCHOR_BYTES, "\n");
  return {
    fd,
    write(anchor) {
      const end = sector.write(JSON.stringify(anchor), "latin1");
      sector.fill(" ", end, ANCHOR_BYTES - 1);
      writeWhole(fd, sector, 0);
    },
  };
}

/** What an open anchor file says; undefined when that is nothing. */
export function readAnchor(fd: number): Anchor | undefined {
  const sector = Buffer.alloc(ANCHOR_BYTES);
  return parseAnchor(sector.toString("utf8", 0, readSync(fd, sector, 0, ANCHOR_BYTES, 0)));
}

/** The same for a log that is only read. */
export function readAnchorFile(anchorFile: string): Anchor | undefined {
  const fd = failClosed(anchorFile, () => openIfThere(anchorFile, constants.O_RDONLY));
  if (fd === undefined) return undefined;
  try {
    return readAnchor(fd);
  } finally {
    closeSync(fd);
  }
}

function parseAnchor(text: string): Anchor | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isAnchor(value) ? (value as unknown as Anchor) : undefined;
  } catch {
    return undefined;
  }
}

function isAnchor({ seq, hash, firstSeq, bytes, open, openSince, writer, next }: JsonObject): boolean {
  const counts = [seq, firstSeq, bytes, open];
  return (
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    [hash, writer, next ?? ""].every((text) => typeof text === "string") &&
    (openSince === null || isJsonObject(openSince))
  );
}

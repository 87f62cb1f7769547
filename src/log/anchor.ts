// The anchor: the head of a log, stored outside the state directory of the log and written after each record. It
// distinguishes a log whose end was cut off from one that ends there, and names the place where the next open starts reading.
import { closeSync, constants, readSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { tokenIsOfThisBoot } from "../core/process-token.ts";
import type { LogHead } from "./head.ts";
import { failClosed } from "./log-error.ts";
import { openIfThere, writeWhole } from "./log-file.ts";
import type { Link } from "./record.ts";

export interface Anchor extends LogHead {
  /** The token of the process that wrote this head. */
  readonly writer: string;
  /** True while that process has the log open, and after it was killed before closing the log. */
  readonly owned: boolean;
}

/**
 * Whether the log's owner may have written the unanchored last record: it is writing it now, or was killed while
 * writing. Such a record does not count. After a reboot nobody can decide this.
 */
export function isAnchorUnfinished({ owned, seq, writer }: Anchor, last: Link): boolean {
  return owned && last.seq === seq + 1 && tokenIsOfThisBoot(writer);
}

/** One sector: the disk writes it whole or not at all, and its length never changes. */
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

/** Reads an open anchor file; undefined if it is empty or invalid. */
export function readAnchor(fd: number): Anchor | undefined {
  const sector = Buffer.alloc(ANCHOR_BYTES);
  return parseAnchor(sector.toString("utf8", 0, readSync(fd, sector, 0, ANCHOR_BYTES, 0)));
}

/** Reads the anchor of a log that is only read. */
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
    if (!isJsonObject(value) || !isAnchor(value)) return undefined;
    // Older anchors have `next` instead of `owned`: the hash of the record that was about to be written, otherwise null.
    const { next = null, owned = next !== null, ...head } = value;
    return { ...head, owned } as unknown as Anchor;
  } catch {
    return undefined;
  }
}

function isAnchor({ seq, hash, firstSeq, bytes, open, openSince, writer, owned }: JsonObject): boolean {
  const counts = [seq, firstSeq, bytes, open];
  return (
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    [hash, writer].every((text) => typeof text === "string") &&
    typeof (owned ?? false) === "boolean" &&
    (openSince === null || isJsonObject(openSince))
  );
}

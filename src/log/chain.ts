// Appends to a log. A log has one owner, which holds its lock from open to close. It appends a record, then anchors it;
// a record counts once it is anchored. So a cut end is always detected. A killed owner leaves at most one record after
// the anchored one, and it has not reported that record as written.
import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  readSync,
  renameSync,
} from "node:fs";
import { basename } from "node:path";
import { closeOnFailure } from "../core/close-on-failure.ts";
import type { HotcellError } from "../core/errors.ts";
import { holdLock, isLocked } from "../core/lock.ts";
import { tokenIsOfThisBoot } from "../core/process-token.ts";
import { type Anchor, type AnchorFile, createAnchorFile, isAnchorUnfinished, readAnchor } from "./anchor.ts";
import { storeArtifact } from "./artifacts.ts";
import {
  advanceByLine,
  advanceHead,
  EMPTY_HEAD,
  headOfNewFile,
  type LogHead,
  openCallsDelta,
} from "./head.ts";
import { findIntactHead } from "./intact-head.ts";
import { readRawLines } from "./lines.ts";
import { failClosed, isTampered, logInUse, logUnavailable, tamperedLogError } from "./log-error.ts";
import {
  exists,
  openIfThere,
  openLogFile,
  rotatedFile,
  rotatedFiles,
  sealedAt,
  writeWhole,
} from "./log-file.ts";
import { type Fields, type Link, type RecordKind, sealRecord } from "./record.ts";

export interface ChainOptions {
  readonly file: string;
  readonly anchorFile: string;
  /** The directory for bytes that a recovery cut off. */
  readonly artifactsDir: string;
  readonly maxFileBytes: number;
  /** The token of this process. */
  readonly writer: string;
}

/** Appends one record and returns its seq. A durable record is on the disk when this returns. */
export type Append = (kind: RecordKind, fields: Fields, durable?: boolean) => number;

export interface Chain {
  /** The head when the log was opened. */
  readonly head: LogHead;
  readonly append: Append;
  /** Releases the lock, so that others may open the log. */
  close(): void;
}

interface Tip {
  readonly fd: number;
  readonly ino: number;
  readonly dev: number;
  readonly head: LogHead;
  readonly anchored: Anchor;
}

interface ChainState extends ChainOptions {
  readonly anchor: AnchorFile;
  /** The open file and its head after our last write; undefined if they have to be read again. */
  tip: Tip | undefined;
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

/** Throws LOCKED while another cell, of this process or another, has the log open. */
export function openChain(options: ChainOptions): Chain {
  const { file, anchorFile } = options;
  const release = failClosed(file, () => takeLock(`${anchorFile}.lock`));
  const chain = closeOnFailure(release, () => failClosed(file, () => openOwned(options)));
  return {
    head: chain.tip!.head,
    append: (kind, fields, durable = false) =>
      failClosed(file, () => {
        if (chain.tip === undefined) attach(chain);
        else checkUnchanged(chain, chain.tip);
        return write(chain, kind, fields, durable);
      }),
    close() {
      try {
        failClosed(file, () => markOwned(chain, false));
      } finally {
        closeFiles(chain);
        release();
      }
    },
  };
}

function takeLock(lockPath: string): () => void {
  try {
    return holdLock(lockPath, 0);
  } catch (error) {
    throw isLocked(error) ? logInUse(error) : error;
  }
}

function openOwned(options: ChainOptions): ChainState {
  const anchor = createAnchorFile(openLogFile(options.anchorFile, O_RDWR | O_CREAT));
  const chain: ChainState = { ...options, anchor, tip: undefined };
  const open = () => {
    if (readAnchor(anchor.fd) === undefined) beginAnchor(chain);
    attach(chain);
    return chain;
  };
  return closeOnFailure(() => closeFiles(chain), open);
}

function beginAnchor({ file, anchor, writer }: ChainState): void {
  if (exists(file) || rotatedFiles(file, 0).length > 0) throw lostAnchor(file);
  anchor.write({ ...EMPTY_HEAD, writer, owned: false });
  // Later writes overwrite it in place, so a power failure leaves the old or the new content.
  fdatasyncSync(anchor.fd);
}

function lostAnchor(file: string): HotcellError {
  return tamperedLogError(file, "its anchor is missing or cannot be read");
}

function closeFiles(chain: ChainState): void {
  forgetTip(chain);
  closeSync(chain.anchor.fd);
}

function forgetTip(chain: ChainState): void {
  if (chain.tip !== undefined) closeSync(chain.tip.fd);
  chain.tip = undefined;
}

/** Reads the tip from the disk: when the log is opened, and after a failed removal of a line. */
function attach(chain: ChainState): void {
  const anchored = readAnchor(chain.anchor.fd);
  if (anchored === undefined) throw lostAnchor(chain.file);
  try {
    chain.tip = openCurrent(chain, anchored, anchored);
    catchUp(chain, chain.tip);
  } catch (error) {
    forgetTip(chain);
    if (!isTampered(error) || tokenIsOfThisBoot(anchored.writer)) throw error;
    salvage(chain, anchored);
  }
}

/** The path must still refer to our file, and the file must end after our last record. */
function checkUnchanged({ file }: ChainState, { ino, dev, head }: Tip): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.ino !== ino || found.dev !== dev)
    throw logUnavailable(file, "its file was deleted or replaced while in use");
  if (found.size !== head.bytes)
    throw tamperedLogError(file, `another process wrote to it or truncated it after record ${head.seq}`);
}

function openCurrent(chain: ChainState, head: LogHead, anchored: Anchor): Tip {
  const fd = openIfThere(chain.file, O_RDWR | O_APPEND) ?? createCurrent(chain, head);
  const { ino, dev } = fstatSync(fd);
  return { fd, ino, dev, head, anchored };
}

// The file may be missing in two cases: it was empty, or the process that rotated it was killed before this step.
function createCurrent({ file }: ChainState, head: LogHead): number {
  if (head.bytes > 0 && !exists(rotatedFile(file, head.firstSeq)))
    throw tamperedLogError(file, "its file is missing");
  return openLogFile(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
}

/** Cuts off what a killed owner left after the anchored record. `salvage` handles power failures. */
function catchUp(chain: ChainState, tip: Tip): void {
  const head = findAnchored(chain, tip);
  const last = findLast(chain, tip, head);
  if (last.seq > head.seq && !isAnchorUnfinished(tip.anchored, last))
    throw tamperedLogError(chain.file, `its anchor does not cover the records after record ${head.seq}`);
  chain.tip = { ...tip, head };
  markOwned(chain, true);
  if (fstatSync(tip.fd).size > head.bytes) recover(chain, chain.tip, { lost: 0, adopted: 0 });
}

function findLast({ file }: ChainState, { fd }: Tip, head: LogHead): Link {
  let last = head;
  for (const line of readRawLines(fd, head.bytes)) {
    const next = advanceByLine(last, line)?.head;
    if (next === undefined && line.complete)
      throw tamperedLogError(file, `the record after record ${last.seq} does not continue the hash chain`);
    last = next ?? last;
  }
  return last;
}

/** A log without an owner must end at its anchored record. Without a tip the anchor stays as after a kill. */
function markOwned(chain: ChainState, owned: boolean): void {
  if (chain.tip === undefined) return;
  const anchored = { ...chain.tip.anchored, writer: chain.writer, owned };
  chain.anchor.write(anchored);
  chain.tip = { ...chain.tip, anchored };
}

/** After a power failure either the anchor or the log may be the older one. Continues with the intact records. */
function salvage(chain: ChainState, anchored: Anchor): void {
  const tip = openCurrent(chain, findIntactHead(chain.file, anchored), anchored);
  chain.tip = tip;
  const behind = anchored.seq - tip.head.seq;
  recover(chain, tip, { lost: Math.max(0, behind), adopted: Math.max(0, -behind) });
}

/** Cuts off everything after the head and keeps it as an artifact. Records the cut and how head and anchor differ. */
function recover(chain: ChainState, { fd, head }: Tip, found: { lost: number; adopted: number }): void {
  const rest = Buffer.alloc(fstatSync(fd).size - head.bytes);
  readSync(fd, rest, 0, rest.length, head.bytes);
  if (rest.length > 0) storeArtifact(chain.artifactsDir, rest);
  ftruncateSync(fd, head.bytes);
  const cut = { bytes: String(rest.length), sha256: `"${hash("sha256", rest, "hex")}"` };
  const { lost, adopted } = found;
  write(chain, "log.recovered", { ...cut, lost: String(lost), adopted: String(adopted) }, false);
  // Later records replace records that the anchor on the disk may still refer to.
  fdatasyncSync(chain.anchor.fd);
}

/** The anchored head. If that file has been rotated since, the head at the start of the new file. */
function findAnchored({ file }: ChainState, { fd, head }: Tip): LogHead {
  if (sealedAt(fd, head.bytes, head.hash)) return head;
  const rotated = openIfThere(rotatedFile(file, head.firstSeq), O_RDONLY);
  if (rotated === undefined)
    throw tamperedLogError(file, `record ${head.seq}, the last one written, is missing`);
  try {
    const { size } = fstatSync(rotated);
    if (size === head.bytes && sealedAt(rotated, head.bytes, head.hash)) return headOfNewFile(head);
    throw tamperedLogError(file, `the file that ended with record ${head.seq} was changed`);
  } finally {
    closeSync(rotated);
  }
}

function write(chain: ChainState, kind: RecordKind, fields: Fields, durable: boolean): number {
  const record = sealRecord(chain.tip!.head, kind, fields);
  const tip = rotateIfFull(chain, chain.tip!, record.line.length);
  const head = advanceHead(tip.head, record, record.line.length, openCallsDelta(kind, fields));
  const anchored = { ...head, writer: chain.writer, owned: true };
  try {
    writeWhole(tip.fd, record.line, null);
    if (durable) fdatasyncSync(tip.fd);
    chain.anchor.write(anchored);
  } catch (error) {
    takeBack(chain, tip);
    throw error;
  }
  chain.tip = { ...tip, head, anchored };
  return record.seq;
}

/** Rotates the file if the line would make it too long. */
function rotateIfFull(chain: ChainState, tip: Tip, lineBytes: number): Tip {
  const { file } = chain;
  if (tip.head.bytes === 0 || tip.head.bytes + lineBytes <= chain.maxFileBytes) return tip;
  const full = rotatedFile(file, tip.head.firstSeq);
  if (exists(full)) throw tamperedLogError(file, `"${basename(full)}" already exists`);
  // Full files are synced to the disk, so a power failure can damage only the current file.
  fdatasyncSync(tip.fd);
  renameSync(file, full);
  forgetTip(chain);
  chain.tip = openCurrent(chain, tip.head, tip.anchored);
  chain.tip = { ...chain.tip, head: headOfNewFile(tip.head) };
  return chain.tip;
}

// Restores the anchor first, because a record that the anchor may refer to must stay. If that fails, the next append
// reads the tip again.
function takeBack(chain: ChainState, tip: Tip): void {
  try {
    chain.anchor.write(tip.anchored);
    ftruncateSync(tip.fd, tip.head.bytes);
  } catch {
    forgetTip(chain);
  }
}

// The growing end of a log. Several processes may hold the same one: each change runs under a lock and
// first catches up with what others wrote, rotated, or left half done when they were killed.
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
  type Stats,
} from "node:fs";
import { basename } from "node:path";
import type { HotcellError } from "../core/errors.ts";
import { tokenIsOfThisBoot, withLock } from "../core/lock.ts";
import { readAnchor, writeAnchor } from "./anchor.ts";
import { advance, callsOpened, EMPTY_HEAD, follow, type Head, startFile } from "./head.ts";
import { findIntactHead } from "./intact-head.ts";
import { readLines } from "./lines.ts";
import { failClosed, isTampered, logTampered, logUnavailable } from "./log-error.ts";
import {
  exists,
  openIfThere,
  openRegular,
  rotatedFile,
  rotatedFiles,
  sealedAt,
  writeWhole,
} from "./log-file.ts";
import { type Fields, type RecordKind, sealRecord } from "./record.ts";

export interface ChainOptions {
  readonly file: string;
  readonly anchorFile: string;
  readonly maxFileBytes: number;
  /** Names this process in the lock. */
  readonly writer: string;
}

/** Appends one record and returns its seq; a durable one is on the disk by then. */
export type Append = (kind: RecordKind, fields: Fields, durable?: boolean) => number;

export interface Chain {
  /** Runs the work as the only writer, with the head as it is on disk. */
  update<T>(work: (append: Append, head: Head) => T): T;
  close(): void;
}

interface Tip {
  readonly fd: number;
  readonly ino: number;
  readonly dev: number;
  readonly head: Head;
}

interface ChainState extends ChainOptions {
  readonly anchorFd: number;
  /** The open file and its head, as this process left them; undefined when they must be read anew. */
  tip: Tip | undefined;
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

export function openChain(options: ChainOptions): Chain {
  const exclusively = <T>(work: () => T) =>
    failClosed(options.file, () => withLock(lockFile(options.anchorFile), work, options.writer));
  const anchorFd = exclusively(() => openAnchor(options));
  const chain: ChainState = { ...options, anchorFd, tip: undefined };
  const append: Append = (kind, fields, durable = false) => write(chain, kind, fields, durable);
  return {
    update: (work) => exclusively(() => work(append, attach(chain).head)),
    close() {
      forgetTip(chain);
      closeSync(anchorFd);
    },
  };
}

export function lockFile(anchorFile: string): string {
  return `${anchorFile}.lock`;
}

function openAnchor({ file, anchorFile, writer }: ChainOptions): number {
  const fd = openRegular(anchorFile, O_RDWR | O_CREAT);
  if (readAnchor(fd) !== undefined) return fd;
  try {
    if (exists(file) || rotatedFiles(file, 0).length > 0) throw lostAnchor(file);
    writeAnchor(fd, { ...EMPTY_HEAD, writer });
    // From now on it is overwritten in place, so a power failure leaves it as it is or as it was.
    fdatasyncSync(fd);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function lostAnchor(file: string): HotcellError {
  return logTampered(file, "its anchor is missing or can't be read");
}

function forgetTip(chain: ChainState): void {
  if (chain.tip !== undefined) closeSync(chain.tip.fd);
  chain.tip = undefined;
}

/** The tip as it is on disk now. */
function attach(chain: ChainState): Tip {
  if (chain.tip !== undefined && isLeftAlone(chain, chain.tip)) return chain.tip;
  forgetTip(chain);
  const anchored = readAnchor(chain.anchorFd);
  if (anchored === undefined) throw lostAnchor(chain.file);
  try {
    chain.tip = openCurrent(chain, anchored);
    return catchUp(chain, chain.tip);
  } catch (error) {
    forgetTip(chain);
    if (!isTampered(error) || tokenIsOfThisBoot(anchored.writer)) throw error;
    return salvage(chain, anchored);
  }
}

/** Whether the path still leads to our file and nobody wrote to it; a file that went away was rotated. */
function isLeftAlone({ file }: ChainState, tip: Tip): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (isSameFile(found, tip)) return found?.size === tip.head.bytes;
  const rotated = lstatSync(rotatedFile(file, tip.head.firstSeq), { throwIfNoEntry: false });
  if (isSameFile(rotated, tip)) return false;
  throw logUnavailable(file, "its file was deleted or replaced while in use");
}

function isSameFile(found: Stats | undefined, tip: Tip): boolean {
  return found?.ino === tip.ino && found.dev === tip.dev;
}

function openCurrent(chain: ChainState, head: Head): Tip {
  const fd = openIfThere(chain.file, O_RDWR | O_APPEND) ?? createCurrent(chain, head);
  const { ino, dev } = fstatSync(fd);
  return { fd, ino, dev, head };
}

// A missing file is right in two cases: nothing was in it, or whoever rotated it was killed before this step.
function createCurrent({ file }: ChainState, head: Head): number {
  if (head.bytes > 0 && !exists(rotatedFile(file, head.firstSeq)))
    throw logTampered(file, "its file is missing");
  return openRegular(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
}

/** Takes in what was written after the anchor, and cuts off a line that a kill has torn. */
function catchUp(chain: ChainState, tip: Tip): Tip {
  const anchored = tip.head;
  let head = findAnchored(chain, tip);
  let torn = false;
  for (const line of readLines(tip.fd, head.bytes)) {
    const next = follow(head, line);
    torn = !line.complete;
    if (next === undefined && !torn)
      throw logTampered(chain.file, `what follows record ${head.seq} does not continue it`);
    head = next ?? head;
  }
  chain.tip = { ...tip, head };
  if (torn) cutOff(chain, chain.tip, 0);
  else if (head.seq > anchored.seq) anchorHead(chain, head);
  return chain.tip;
}

/** After a power failure the anchor may know of records that never reached the disk: goes on with what did. */
function salvage(chain: ChainState, anchored: Head): Tip {
  const tip = openCurrent(chain, findIntactHead(chain.file));
  chain.tip = tip;
  cutOff(chain, tip, Math.max(0, anchored.seq - tip.head.seq));
  return chain.tip;
}

/** Cuts off what follows the head, and records that, and how many records the anchor knew beyond it. */
function cutOff(chain: ChainState, { fd, head }: Tip, lost: number): void {
  const rest = Buffer.alloc(fstatSync(fd).size - head.bytes);
  readSync(fd, rest, 0, rest.length, head.bytes);
  ftruncateSync(fd, head.bytes);
  const sha256 = `"${hash("sha256", rest, "hex")}"`;
  write(chain, "log.recovered", { bytes: String(rest.length), sha256, lost: String(lost) }, false);
}

/** The anchored head, at the start of the new file when the anchored one has been rotated since. */
function findAnchored({ file }: ChainState, { fd, head }: Tip): Head {
  if (sealedAt(fd, head.bytes, head.hash)) return head;
  const rotated = openIfThere(rotatedFile(file, head.firstSeq), O_RDONLY);
  if (rotated === undefined) throw logTampered(file, `record ${head.seq}, the last one written, is gone`);
  try {
    const { size } = fstatSync(rotated);
    if (size === head.bytes && sealedAt(rotated, head.bytes, head.hash)) return startFile(head);
    throw logTampered(file, `the file that ended with record ${head.seq} was changed`);
  } finally {
    closeSync(rotated);
  }
}

function write(chain: ChainState, kind: RecordKind, fields: Fields, durable: boolean): number {
  const record = sealRecord(chain.tip!.head, kind, fields);
  const tip = makeRoom(chain, chain.tip!, record.line.length);
  const head = advance(tip.head, record, record.line.length, callsOpened(kind, fields));
  try {
    writeWhole(tip.fd, record.line, null);
    if (durable) fdatasyncSync(tip.fd);
    anchorHead(chain, head);
  } catch (error) {
    takeBack(chain, tip);
    throw error;
  }
  chain.tip = { ...tip, head };
  return record.seq;
}

function anchorHead({ anchorFd, writer }: ChainState, head: Head): void {
  writeAnchor(anchorFd, { ...head, writer });
}

/** Begins a new file when the line would make the current one too long. */
function makeRoom(chain: ChainState, tip: Tip, lineBytes: number): Tip {
  const { file } = chain;
  if (tip.head.bytes === 0 || tip.head.bytes + lineBytes <= chain.maxFileBytes) return tip;
  const full = rotatedFile(file, tip.head.firstSeq);
  if (exists(full)) throw logTampered(file, `"${basename(full)}" is there already`);
  // Full files are on the disk for good: a power failure damages the growing one at most.
  fdatasyncSync(tip.fd);
  renameSync(file, full);
  forgetTip(chain);
  chain.tip = openCurrent(chain, tip.head);
  chain.tip = { ...chain.tip, head: startFile(tip.head) };
  return chain.tip;
}

// What can't be taken back, the next update finds after the anchor and takes in or cuts off.
function takeBack(chain: ChainState, tip: Tip): void {
  try {
    ftruncateSync(tip.fd, tip.head.bytes);
    anchorHead(chain, tip.head);
  } catch {
    forgetTip(chain);
  }
}

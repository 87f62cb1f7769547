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
import { type Anchor, type AnchorFile, countBeyond, createAnchorFile, readAnchor } from "./anchor.ts";
import { storeArtifact } from "./artifacts.ts";
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
  /** Where bytes are kept that had to be cut off. */
  readonly artifactsDir: string;
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
  /** What the anchor says, when nothing is being written. */
  readonly anchored: Anchor;
}

interface ChainState extends ChainOptions {
  readonly anchor: AnchorFile;
  /** The open file and its head, as this process left them; undefined when they must be read anew. */
  tip: Tip | undefined;
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

export function openChain(options: ChainOptions): Chain {
  const exclusively = <T>(work: () => T) =>
    failClosed(options.file, () => withLock(lockFile(options.anchorFile), work, options.writer));
  const anchor = createAnchorFile(exclusively(() => openAnchor(options)));
  const chain: ChainState = { ...options, anchor, tip: undefined };
  const append: Append = (kind, fields, durable = false) => write(chain, kind, fields, durable);
  return {
    update: (work) => exclusively(() => work(append, attach(chain).head)),
    close() {
      forgetTip(chain);
      closeSync(anchor.fd);
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
    createAnchorFile(fd).write({ ...EMPTY_HEAD, writer, next: null });
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
  const anchored = readAnchor(chain.anchor.fd);
  if (anchored === undefined) throw lostAnchor(chain.file);
  try {
    chain.tip = openCurrent(chain, anchored, anchored);
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

function openCurrent(chain: ChainState, head: Head, anchored: Anchor): Tip {
  const fd = openIfThere(chain.file, O_RDWR | O_APPEND) ?? createCurrent(chain, head);
  const { ino, dev } = fstatSync(fd);
  return { fd, ino, dev, head, anchored };
}

// A missing file is right in two cases: nothing was in it, or whoever rotated it was killed before this step.
function createCurrent({ file }: ChainState, head: Head): number {
  if (head.bytes > 0 && !exists(rotatedFile(file, head.firstSeq)))
    throw logTampered(file, "its file is missing");
  return openRegular(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
}

/** Takes in what was written after the anchor, and cuts off a line that a kill has torn. */
function catchUp(chain: ChainState, tip: Tip): Tip {
  const { anchored } = tip;
  let head = findAnchored(chain, tip);
  let torn = false;
  for (const line of readLines(tip.fd, head.bytes)) {
    const next = follow(head, line);
    torn = !line.complete;
    if (next === undefined && !torn)
      throw logTampered(chain.file, `what follows record ${head.seq} does not continue it`);
    head = next ?? head;
  }
  const adopted = countBeyond(anchored, head);
  // A kill leaves only what was announced; after a power failure the anchor may be older than the log.
  if (adopted > 0 && tokenIsOfThisBoot(anchored.writer))
    throw logTampered(chain.file, `its anchor does not know what stands after record ${anchored.seq}`);
  chain.tip = { ...tip, head };
  if (torn || adopted > 0) recover(chain, chain.tip, { lost: 0, adopted });
  else if (head.seq > anchored.seq) settle(chain, chain.tip);
  return chain.tip;
}

function settle(chain: ChainState, tip: Tip): void {
  const { seq, hash, firstSeq, bytes, open, openSince } = tip.head;
  const anchored = { seq, hash, firstSeq, bytes, open, openSince, writer: chain.writer, next: null };
  chain.anchor.write(anchored);
  chain.tip = { ...tip, anchored };
}

/** After a power failure the anchor may know of records that never reached the disk: goes on with what did. */
function salvage(chain: ChainState, anchored: Anchor): Tip {
  const tip = openCurrent(chain, findIntactHead(chain.file, anchored), anchored);
  chain.tip = tip;
  const lost = Math.max(0, anchored.seq - tip.head.seq);
  recover(chain, tip, { lost, adopted: countBeyond(anchored, tip.head) });
  return chain.tip;
}

/** Cuts off what follows the head, keeps it as an artifact, and records that, and how head and anchor differed. */
function recover(chain: ChainState, { fd, head }: Tip, found: { lost: number; adopted: number }): void {
  const rest = Buffer.alloc(fstatSync(fd).size - head.bytes);
  readSync(fd, rest, 0, rest.length, head.bytes);
  if (rest.length > 0) storeArtifact(chain.artifactsDir, rest);
  ftruncateSync(fd, head.bytes);
  const cut = { bytes: String(rest.length), sha256: `"${hash("sha256", rest, "hex")}"` };
  const { lost, adopted } = found;
  write(chain, "log.recovered", { ...cut, lost: String(lost), adopted: String(adopted) }, false);
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
    // Announced first, so that what a kill leaves after the anchored head is known to be ours.
    chain.anchor.write({ ...tip.anchored, next: record.hash });
    writeWhole(tip.fd, record.line, null);
    if (durable) fdatasyncSync(tip.fd);
    settle(chain, { ...tip, head });
  } catch (error) {
    takeBack(chain, tip);
    throw error;
  }
  return record.seq;
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
  chain.tip = openCurrent(chain, tip.head, tip.anchored);
  chain.tip = { ...chain.tip, head: startFile(tip.head) };
  return chain.tip;
}

// What can't be taken back, the next update finds after the anchor and takes in or cuts off.
function takeBack(chain: ChainState, tip: Tip): void {
  try {
    ftruncateSync(tip.fd, tip.head.bytes);
    chain.anchor.write(tip.anchored);
  } catch {
    forgetTip(chain);
  }
}

import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { chunksOf, readInto } from "../fs/open-file.ts";
import type { ReadTree } from "../fs/tree-reader.ts";
import type { Change, Side } from "./changes.ts";
import type { ComparedTrees, EntryPair } from "./compare-entries.ts";
import { hunksOf } from "./hunks.ts";
import { textOf } from "./text.ts";

export type ContentChange = Pick<Change, "binary" | "added" | "removed" | "hunks">;

/** Null if both sides have the same bytes, or none. */
type CompareContents = (pair: EntryPair, isSecret: boolean) => Cooperative<ContentChange | null>;

/** A prefix of a file, or all of it. */
interface FilePrefix {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

export const NO_LINES: ContentChange = { binary: false, added: 0, removed: 0, hunks: [] };
const NOTHING: FilePrefix = { bytes: Buffer.alloc(0), isWhole: true };

/** Compares files without their lines. */
export function createPlainComparison(isSameFile: (path: string) => Cooperative<boolean>): CompareContents {
  return function* ({ path, before, after }) {
    if (before?.size !== after?.size) return NO_LINES;
    const areFiles = before?.kind === "file" && after?.kind === "file";
    return areFiles && !(yield* isSameFile(path)) ? NO_LINES : null;
  };
}

/** Compares regular files; other entries have no content. One limit holds for all hunks together. */
export function createContentComparison(trees: ComparedTrees): CompareContents {
  let charsLeft: number = LIMITS.maxDiffTextChars;
  const readOld = createPrefixReader(trees.before);
  const readNow = createPrefixReader(trees.after);
  const compare: CompareContents = function* (pair, isSecret) {
    const maxBytes = bytesToRead(pair, charsLeft > 0 && !isSecret);
    const old = readOld(pair.path, pair.before, maxBytes);
    const now = readNow(pair.path, pair.after, maxBytes);
    if (yield* isSame(pair, old, now, trees)) return null;
    if (isSecret) return NO_LINES;
    if (isBinary(old) || isBinary(now)) return { ...NO_LINES, binary: true };
    if (!old.isWhole || !now.isWhole || charsLeft <= 0) return NO_LINES;
    const hunks = hunksOf(pair.path, textOf(old.bytes), textOf(now.bytes));
    const lines = hunks.flatMap((hunk) => hunk.lines);
    for (const { length } of lines) charsLeft -= length;
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
    return { binary: false, added: count("+"), removed: count("-"), hunks };
  };
  return function* (pair, isSecret) {
    if (pair.before?.kind !== "file" && pair.after?.kind !== "file") return null;
    return yield* unlessClosed(compare(pair, isSecret), { ...NO_LINES, binary: !isSecret });
  };
}

/** A file that the system does not let us read equals no other file and cannot be shown. */
export function* unlessClosed<T>(reading: Cooperative<T>, closed: T): Cooperative<T> {
  try {
    return yield* reading;
  } catch (error) {
    if (!(error instanceof HotcellError && error.details.errno === "EACCES")) throw error;
    return closed;
  }
}

function bytesToRead({ before, after }: EntryPair, wantsLines: boolean): number {
  const isSmall = (side: Side | null) => side === null || side.size <= LIMITS.maxDiffFileBytes;
  const showsLines = wantsLines && isSmall(before) && isSmall(after);
  return showsLines ? LIMITS.maxDiffFileBytes : LIMITS.binaryProbeBytes;
}

/** All prefixes share one buffer: each is valid until the next read. */
function createPrefixReader(tree: ReadTree) {
  let buffer = Buffer.allocUnsafe(LIMITS.binaryProbeBytes);
  return (path: string, side: Side | null, maxBytes: number): FilePrefix => {
    if (side?.kind !== "file") return NOTHING;
    const bytes = tree.withFile(path, (fd, size) => {
      const wanted = Math.min(size, maxBytes + 1);
      if (wanted > buffer.length) buffer = Buffer.allocUnsafe(2 * wanted);
      return readInto(fd, buffer.subarray(0, wanted));
    });
    return { bytes: bytes.subarray(0, maxBytes), isWhole: bytes.length <= maxBytes };
  };
}

function* isSame(
  { path, before, after }: EntryPair,
  old: FilePrefix,
  now: FilePrefix,
  trees: ComparedTrees,
): Cooperative<boolean> {
  if (!old.bytes.equals(now.bytes)) return false;
  if (old.isWhole && now.isWhole) return true;
  return before?.size === after?.size && (yield* haveSameBytes(trees, path));
}

function* haveSameBytes({ before, after }: ComparedTrees, path: string): Cooperative<boolean> {
  const open = [before.open(path).fd];
  try {
    open.push(after.open(path).fd);
    const [old, now] = open as [number, number];
    const chunks = chunksOf(now, path);
    for (const chunk of chunksOf(old, path)) {
      const other = chunks.next();
      if (other.done || !chunk.equals(other.value)) return false;
      yield;
    }
    return chunks.next().done === true;
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
}

const isBinary = ({ bytes }: FilePrefix): boolean => bytes.subarray(0, LIMITS.binaryProbeBytes).includes(0);

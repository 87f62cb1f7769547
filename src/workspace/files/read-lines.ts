// Reads a range of lines from a file of any size. Memory is bounded by the range and one chunk. A file above the
// hash limit is read only as far as the range needs.
import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OpenedFile } from "./workspace-fs.ts";

const NEWLINE = 0x0a;
const CHUNKS_PER_TURN = 8;

export interface LineRequest {
  /** 1-based. */
  readonly start: number;
  /** Inclusive; Infinity for the rest of the file. */
  readonly end: number;
  readonly maxBytes: number;
  /** The extra cost of each line in bytes: its number, if shown. */
  readonly lineCost: number;
  /** A larger file is read only as far as needed, and not hashed. */
  readonly maxHashBytes: number;
}

export interface Lines {
  /** Without their newlines. */
  readonly lines: readonly string[];
  /** The first line that did not fit, or null. */
  readonly nextLine: number | null;
  /** Of the last line only the beginning is shown. */
  readonly cutWithinLine: boolean;
  /** U+FFFD replaces bytes that are not UTF-8. */
  readonly lossy: boolean;
  /** Lines of the whole file; null if it was too large to read to the end. */
  readonly total: number | null;
  readonly sha256: string | null;
  /** The number of bytes read, which are all hashed if there is a hash. */
  readonly bytes: number;
}

export async function readLines(
  file: Pick<OpenedFile, "size" | "chunks">,
  wanted: LineRequest,
  signal: AbortSignal,
): Promise<Lines> {
  const { size } = file;
  const takesAll = size <= wanted.maxHashBytes;
  const hash = takesAll ? createHash("sha256") : null;
  const collector = createCollector(wanted, size);
  let turn = 0;
  let bytes = 0;
  for (const chunk of file.chunks()) {
    signal.throwIfAborted();
    hash?.update(chunk);
    bytes += chunk.length;
    collector.take(chunk);
    if (!takesAll && collector.isDone()) break;
    if (++turn % CHUNKS_PER_TURN === 0) await nextTurn();
  }
  const { lines, nextLine, cutWithinLine, lossy } = collector.result();
  return {
    lines,
    nextLine,
    cutWithinLine,
    lossy,
    total: takesAll ? collector.total() : null,
    sha256: hash?.digest("hex") ?? null,
    bytes,
  };
}

/** `size` is the file's size: the buffer need not be larger. */
function createCollector({ start, end, maxBytes, lineCost }: LineRequest, size: number) {
  const store = Buffer.allocUnsafe(Math.min(maxBytes, size));
  let line = 1;
  let kept = 0;
  /** The bytes of complete lines in `kept`. */
  let wholeLines = 0;
  let nextLine: number | null = null;
  let lastByte = NEWLINE;

  const isWanted = (): boolean => line >= start && line <= end && nextLine === null;
  /** Counts bytes that belong to `line` as kept, until the limit. */
  const keep = (bytes: number): void => {
    const remaining = Math.max(Math.min(maxBytes - (line - start) * lineCost, store.length) - kept, 0);
    if (bytes > remaining) nextLine = wholeLines > 0 ? line : line + 1;
    kept += Math.min(bytes, remaining);
  };
  const endLine = (): void => {
    line++;
    if (nextLine === null) wholeLines = kept;
  };

  return {
    take(chunk: Buffer): void {
      const keptBefore = kept;
      let keptFrom = 0;
      for (let at = 0; at < chunk.length; ) {
        const newline = chunk.indexOf(NEWLINE, at);
        const stop = newline < 0 ? chunk.length : newline + 1;
        if (kept === keptBefore) keptFrom = at;
        if (isWanted()) keep(stop - at);
        if (newline >= 0) endLine();
        at = stop;
      }
      // The kept part of a chunk is contiguous.
      chunk.copy(store, keptBefore, keptFrom, keptFrom + kept - keptBefore);
      lastByte = chunk[chunk.length - 1] ?? lastByte;
    },
    isDone: () => line > end || nextLine !== null,
    total: () => (lastByte === NEWLINE ? line - 1 : line),
    result() {
      const cutWithinLine = nextLine !== null && wholeLines === 0;
      const bytes = store.subarray(0, nextLine === null || cutWithinLine ? kept : wholeLines);
      // A character that is cut at the end is omitted; `end` would show its beginning as U+FFFD.
      const decoder = new StringDecoder("utf8");
      const text = cutWithinLine ? decoder.write(bytes) : decoder.end(bytes);
      const lossy = text.includes("\uFFFD") && bytes.indexOf(text, 0, "utf8") !== 0;
      return { lines: splitLines(text), nextLine, cutWithinLine, lossy };
    },
  };
}

function splitLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

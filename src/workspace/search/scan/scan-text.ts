// Searches one text, a window at a time. Lines that fit into the window are searched whole.

import type { Hit } from "../workers/messages.ts";
import { type ContextQuery, createHitList, type HitList } from "./hit-list.ts";
import type { LineFinder } from "./line-finder.ts";
import { type ScanMemory, WINDOW_BYTES, WINDOW_START } from "./scan-memory.ts";
import { MAX_BYTES_PER_CHAR, type ShownLine, showLine } from "./shown-line.ts";
import type { TextSource, Utf16 } from "./text-source.ts";

const NEWLINE = 0x0a;
const WINDOW_END = WINDOW_START + WINDOW_BYTES;
/** A file counts as binary from the first block of lines that has a NUL. As in ripgrep, a block has this length, without the line that is cut at its end. */
const BLOCK_BYTES = 64 * 1024;

export interface ScanOptions {
  readonly memory: ScanMemory;
  readonly finder: LineFinder;
  readonly query: ContextQuery;
  /** Whether no more results are wanted; called for each window. */
  readonly stopped: () => boolean;
}

/** "binary": the file is no text, from the beginning or from some point on. UTF-16 is only detected, not searched. */
export type ScanText = (source: TextSource, watch: ScanWatch) => "text" | "binary" | Utf16;

export interface ScanWatch {
  readonly onHit: (hit: Hit) => void;
  /** Called if only the beginning of a line was searched, without a match. */
  readonly onPartlySearched: () => void;
}

/** The unsearched part of the memory; it begins at the start of a line. */
interface Window {
  readonly from: number;
  readonly to: number;
}

export function createScanText({ memory, finder, query, stopped }: ScanOptions): ScanText {
  const { bytes, findNul, countNewlines, lineStart, lineEnd } = memory;
  const hasNul = (from: number, to: number): boolean => findNul(from, to) >= 0;

  /** Reads more text into the memory at `from`. Returns the new end of the text. */
  const fill = (source: TextSource, from: number): number => {
    let to = from;
    while (to < WINDOW_END && !source.ended()) to += source.read(bytes, to, WINDOW_END - to);
    // Ends the last line here, whatever an earlier, longer text left in the memory.
    bytes[to] = NEWLINE;
    return to;
  };

  const slide = (source: TextSource, { from, to }: Window): Window => {
    bytes.copyWithin(WINDOW_START, from, to);
    return { from: WINDOW_START, to: fill(source, WINDOW_START + to - from) };
  };

  /** Returns the number of the next line. */
  const searchLines = ({ from, to }: Window, number: number, hits: HitList): number => {
    hits.begin(from, to);
    finder.begin(to);
    let line = number;
    let at = from;
    while (at < to && !stopped()) {
      const place = finder.next(at);
      if (place < 0) break;
      const start = lineStart(place, at);
      const end = lineEnd(place, to);
      line += countNewlines(at, start);
      hits.add({ from: start, to: end }, place, line);
      line++;
      at = end + 1;
    }
    return line + countNewlines(at, to);
  };

  /** Searches a line that does not fit into the window, in pieces. Returns the window after it; null if the text ends within it. */
  const searchLongLine = (
    source: TextSource,
    window: Window,
    number: number,
    hits: HitList,
    onPartlySearched: () => void,
  ): Window | null => {
    const { maxLineChars } = query;
    const pieces = finder.longLine();
    const beginning = showLine(bytes, { ...window, endsLater: true }, window.from, maxLineChars).text;
    const keptBytes = Math.min(Math.max(pieces.overlap, MAX_BYTES_PER_CHAR * maxLineChars), WINDOW_BYTES / 2);
    let match: ShownLine | null = null;
    let { from, to } = window;
    for (let fresh = from, beginsEarlier = false; !stopped() && !hasNul(fresh, to); beginsEarlier = true) {
      const end = lineEnd(fresh, to);
      const isEnd = end < to || source.ended();
      if (match === null) {
        const found = pieces.next(from, fresh, Math.min(end + 1, to));
        const place = found < 0 && isEnd && pieces.end() ? end : found;
        const line = { from, to: end, beginsEarlier, endsLater: !isEnd };
        if (place >= 0) match = showLine(bytes, line, place, maxLineChars);
      }
      if (isEnd) {
        hits.addLong(beginning, match, number);
        if (match === null && beginsEarlier && finder.engine === "backtracking") onPartlySearched();
        return { from: Math.min(end + 1, to), to };
      }
      const kept = match === null ? keptBytes : 0;
      const next = slide(source, { from: to - kept, to });
      from = next.from;
      to = next.to;
      fresh = from + kept;
    }
    return null;
  };

  /** The end of the last complete block of lines before `limit`. */
  const blocksEnd = (from: number, limit: number): number => {
    let start = from;
    for (let length = BLOCK_BYTES; start + length <= limit; ) {
      const behind = lineStart(start + length, start);
      length = behind === start ? 2 * length : BLOCK_BYTES;
      start = behind;
    }
    return start;
  };

  const scanWindows = (
    source: TextSource,
    first: Window,
    hits: HitList,
    onPartlySearched: () => void,
  ): "text" | "binary" => {
    let window: Window = first;
    for (let number = 1; !stopped(); window = slide(source, window)) {
      const { from, to } = window;
      const nulAt = findNul(from, to);
      const isLast = source.ended() && nulAt < 0;
      const end = isLast ? to : blocksEnd(from, nulAt < 0 ? to : nulAt);
      if (end > from) number = searchLines({ from, to: end }, number, hits);
      if (isLast) return "text";
      if (nulAt >= 0) return "binary";
      hits.leave();
      if (end > from) window = { from: end, to };
      else {
        const next = searchLongLine(source, window, number, hits, onPartlySearched);
        if (next === null) return "binary";
        window = next;
        number++;
      }
    }
    return "text";
  };

  return (source, { onHit, onPartlySearched }) => {
    const to = fill(source, WINDOW_START);
    const utf16 = utf16At(bytes, to - WINDOW_START);
    if (utf16 !== null) return utf16;
    if (hasNul(WINDOW_START, Math.min(to, WINDOW_START + BLOCK_BYTES))) return "binary";
    const from = WINDOW_START + markLength(bytes);
    finder.begin(to);
    if (source.ended() && (from >= to || finder.next(from) < 0)) return "text";
    const hits = createHitList(memory, query, onHit);
    const kind = scanWindows(source, { from, to }, hits, onPartlySearched);
    // Hits that wait for lines after them are incomplete where the search was stopped.
    if (!stopped()) hits.end();
    return kind;
  };
}

function utf16At(bytes: Buffer, length: number): Utf16 | null {
  if (length < 2) return null;
  const mark = bytes.readUInt16BE(WINDOW_START);
  if (mark === 0xfffe) return "utf-16le";
  return mark === 0xfeff ? "utf-16be" : null;
}

function markLength(bytes: Buffer): number {
  return bytes[WINDOW_START] === 0xef && bytes.readUInt16BE(WINDOW_START + 1) === 0xbbbf ? 3 : 0;
}

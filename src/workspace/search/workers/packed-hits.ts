// The message format of hits: a few long strings are serialized much faster than many small objects.
import type { FileHits, Hit } from "./messages.ts";

export interface PackedHits {
  /** Separated by NUL. */
  readonly paths: string;
  /** For each file: its counts and its number of hits. */
  readonly counts: readonly number[];
  /** For each hit: twice its line number, plus one if it is clipped. */
  readonly lines: readonly number[];
  /** For each hit: the number of lines before and after it; null if no hit has any. */
  readonly around: readonly number[] | null;
  /** For each hit the lines before it, its own, and those after it, separated by line breaks. */
  readonly texts: string;
}

export function packHits(files: readonly FileHits[]): PackedHits {
  const hits = files.flatMap((file) => file.hits);
  const hasAround = hits.some(({ before, after }) => before.length + after.length > 0);
  return {
    paths: files.map(({ path }) => path).join("\0"),
    counts: files.flatMap(({ counts: { files: scanned, binary, unreadable, partlySearched }, hits }) => [
      scanned,
      binary,
      unreadable,
      partlySearched,
      hits.length,
    ]),
    lines: hits.map(({ line, clipped }) => 2 * line + (clipped ? 1 : 0)),
    around: hasAround ? hits.flatMap(({ before, after }) => [before.length, after.length]) : null,
    texts: (hasAround
      ? hits.flatMap(({ text, before, after }) => [...before, text, ...after])
      : hits.map(({ text }) => text)
    ).join("\n"),
  };
}

export function unpackHits({ paths, counts, lines, around, texts }: PackedHits): FileHits[] {
  const shown = texts.split("\n");
  let hit = 0;
  let text = 0;
  const take = (count: number): readonly string[] => {
    if (count === 0) return NONE;
    text += count;
    return shown.slice(text - count, text);
  };
  const next = (): Hit => {
    const before = take(around?.[2 * hit] ?? 0);
    const own = shown[text++]!;
    const after = take(around?.[2 * hit + 1] ?? 0);
    const line = lines[hit++]!;
    return { line: Math.floor(line / 2), text: own, clipped: line % 2 === 1, before, after };
  };
  return (counts.length === 0 ? [] : paths.split("\0")).map((path, file) => {
    const [files, binary, unreadable, partlySearched, length] = counts.slice(5 * file, 5 * file + 5) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const until = { files, binary, unreadable, partlySearched };
    return { path, hits: Array.from({ length }, next), counts: until };
  });
}

const NONE: readonly string[] = [];

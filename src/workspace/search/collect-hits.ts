// Puts the results of all who search together: in the order of the walk, and not more than wanted.

import type { SearchMatch, SearchProgress, SearchQuery, SearchResult } from "../files/search-query.ts";
import type { View } from "../files/view.ts";
import type { Begun, Counts, Entered, Part, Results } from "./workers/messages.ts";

/** With who sent them. */
export interface SentResults extends Results {
  readonly part: Part;
}

export interface HitCollector {
  /** Gives the results that were used up: those of a later chunk have to wait. */
  take(results: SentResults): readonly SentResults[];
  /** No more is wanted. */
  isFull(): boolean;
  /** Whether so many chunks were used up. */
  hasAll(chunks: number): boolean;
  seen(): SearchProgress;
  result(engine: Begun["engine"]): SearchResult;
}

export function createHitCollector(
  view: View,
  { maxMatches }: Pick<SearchQuery, "maxMatches">,
): HitCollector {
  const matches: SearchMatch[] = [];
  /** Results of chunks whose turn has not come, in their order. */
  const waiting = new Map<number, SentResults[]>();
  let chunk = 0;
  let counts: Counts = { files: 0, binary: 0, unreadable: 0, partlySearched: 0 };
  let truncated = false;

  const useFiles = ({ files }: Results): void => {
    for (const { path, hits, counts: until } of files) {
      view.used(path);
      const room = maxMatches - matches.length;
      for (const { line, text, before, after, clipped } of hits.slice(0, room))
        matches.push({ path, line, text, before, after, clipped });
      if (hits.length <= room) continue;
      truncated = true;
      // What was searched further on does not count: how much it was depends on who is faster.
      counts = sum(counts, until);
      return;
    }
  };

  const use = (results: Results): void => {
    if (!truncated) useFiles(results);
    if (results.counts === null) return;
    chunk++;
    if (!truncated) counts = sum(counts, results.counts);
  };

  return {
    take(results) {
      if (results.chunk !== chunk) {
        waiting.set(results.chunk, [...(waiting.get(results.chunk) ?? []), results]);
        return [];
      }
      const used = [results];
      for (const next of used) {
        const current = chunk;
        use(next);
        if (chunk === current) continue;
        used.push(...(waiting.get(chunk) ?? []));
        waiting.delete(chunk);
      }
      return used;
    },
    isFull: () => truncated,
    hasAll: (chunks) => chunk >= chunks,
    seen: () => ({ files: counts.files, matches: matches.length }),
    result: (engine) => ({
      matches,
      truncated,
      filesScanned: counts.files,
      binaryFiles: counts.binary,
      partlySearchedLines: counts.partlySearched,
      unreadable: counts.unreadable,
      engine,
    }),
  };
}

/** Of the directories that a walk came to. */
export function noteEntered(view: View, entered: readonly Entered[]): void {
  for (const { path, ...stat } of entered) view.entered(path, stat);
}

function sum(a: Counts, b: Counts): Counts {
  return {
    files: a.files + b.files,
    binary: a.binary + b.binary,
    unreadable: a.unreadable + b.unreadable,
    partlySearched: a.partlySearched + b.partlySearched,
  };
}

// Merges the results of all workers in the order of the walk, up to the limit.

import type { SearchMatch, SearchProgress, SearchQuery, SearchResult } from "../files/search-query.ts";
import type { View } from "../files/view.ts";
import type { Counts, EnteredDirectory, Part, Results, SearchStarted } from "./workers/messages.ts";

/** Results with the worker that sent them. */
export interface SentResults extends Results {
  readonly part: Part;
}

export interface HitCollector {
  /** Returns the results that were consumed. Results of a later chunk wait. */
  take(results: SentResults): readonly SentResults[];
  /** No more results are wanted. */
  isFull(): boolean;
  /** Whether this many chunks were consumed. */
  hasAll(chunks: number): boolean;
  seen(): SearchProgress;
  result(engine: SearchStarted["engine"]): SearchResult;
}

export function createHitCollector(
  view: View,
  { maxMatches }: Pick<SearchQuery, "maxMatches">,
): HitCollector {
  const matches: SearchMatch[] = [];
  /** Results of later chunks, in their order. */
  const waiting = new Map<number, SentResults[]>();
  let chunk = 0;
  let counts: Counts = { files: 0, binary: 0, unreadable: 0, partlySearched: 0 };
  let truncated = false;

  const useFiles = ({ files }: Results): void => {
    for (const { path, hits, counts: until } of files) {
      view.used(path);
      const remaining = maxMatches - matches.length;
      for (const { line, text, before, after, clipped } of hits.slice(0, remaining))
        matches.push({ path, line, text, before, after, clipped });
      if (hits.length <= remaining) continue;
      truncated = true;
      // Files after the last shown match do not count: their number depends on which worker is faster.
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

/** Reports the directories that a walk entered. */
export function reportEntered(view: View, entered: readonly EnteredDirectory[]): void {
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

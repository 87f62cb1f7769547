// Puts the workers' results together on the asking thread: in the order of the walk, and not more than wanted.
import type { View } from "../view.ts";
import type { Begun, Counts, Part } from "./messages.ts";
import type { SearchMatch, SearchProgress, SearchQuery, SearchResult } from "./search-query.ts";

export interface HitCollector {
  /** Gives the parts that were used up: the results of a later chunk have to wait. */
  take(part: Part): readonly Part[];
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
  /** Parts of chunks whose turn has not come, in their order. */
  const waiting = new Map<number, Part[]>();
  let chunk = 0;
  let counts: Counts = { files: 0, binary: 0, unreadable: 0 };
  let truncated = false;

  const useFiles = ({ files }: Part): void => {
    for (const { path, hits, counts: until } of files) {
      view.used(path);
      const room = maxMatches - matches.length;
      for (const hit of hits.slice(0, room)) matches.push({ path, ...hit });
      if (hits.length <= room) continue;
      truncated = true;
      // What was searched further on does not count: how much it was depends on the threads.
      counts = sum(counts, until);
      return;
    }
  };

  const use = (part: Part): void => {
    for (const { path, ...stat } of part.entered) view.entered(path, stat);
    if (!truncated) useFiles(part);
    if (part.counts === null) return;
    chunk++;
    if (!truncated) counts = sum(counts, part.counts);
  };

  return {
    take(part) {
      if (part.chunk !== chunk) {
        waiting.set(part.chunk, [...(waiting.get(part.chunk) ?? []), part]);
        return [];
      }
      const used: Part[] = [part];
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
      unreadable: counts.unreadable,
      engine,
    }),
  };
}

function sum(a: Counts, b: Counts): Counts {
  return { files: a.files + b.files, binary: a.binary + b.binary, unreadable: a.unreadable + b.unreadable };
}

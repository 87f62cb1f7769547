// A search in the parent process itself, for a short time. Many searches end before worker processes would have
// started. The result is the same as the workers' result.

import type { SearchResult } from "../files/search-query.ts";
import type { View } from "../files/view.ts";
import { createNamesCache } from "../fs/names-cache.ts";
import { explainErrors } from "../fs/os-error.ts";
import type { NamesIn } from "../fs/tree.ts";
import { createHitCollector, type HitCollector, reportEntered } from "./collect-hits.ts";
import { createReadJudge, type ReadJudge } from "./read-judge.ts";
import type { SearchTask } from "./run-search.ts";
import { createLiteralFinder } from "./scan/line-finder.ts";
import { openWithoutBlocking } from "./scan/open-regular.ts";
import { type Directories, type ScanChunkOptions, scanAlone, scanChunk } from "./scan/scan-chunk.ts";
import { createScanMemory, type ScanMemory } from "./scan/scan-memory.ts";
import { createScanText } from "./scan/scan-text.ts";
import { createFileWalk, type FileWalkOptions, readInOrder } from "./walk-files.ts";
import type { Hit, SearchRun } from "./workers/messages.ts";
import { createOutbox, type Outbox } from "./workers/outbox.ts";

/** The search blocks the event loop for this long. It may take longer if the workers are not running, because their start takes longer. */
const MAX_MS = { awake: 5, asleep: 20 };
const CHUNK_FILES = 8;

/** Null if the search takes longer, or the query is not a literal. Then the workers have to search. */
export type InlineSearch = (task: SearchTask, isCrewAwake: boolean) => SearchResult | null;

export function createInlineSearch(): InlineSearch {
  const kept = { memory: createScanMemory(), namesIn: createNamesCache(readInOrder) };
  return (task, isCrewAwake) => searchHere(task, kept, isCrewAwake ? MAX_MS.awake : MAX_MS.asleep);
}

/** State that one search leaves for the next. */
interface Kept {
  readonly memory: ScanMemory;
  readonly namesIn: NamesIn;
}

function searchHere({ view, order }: SearchTask, kept: Kept, maxMs: number): SearchResult | null {
  const { memory, namesIn } = kept;
  const { query, path } = order;
  memory.clear();
  const finder = createLiteralFinder(memory, query);
  if (finder === null) return null;
  const collector = createHitCollector(view, query);
  const outbox = outboxTo(collector, query.maxMatches);
  let hits = 0;
  const hit = (found: Hit): void => {
    hits++;
    outbox.hit(found);
  };
  const endMs = performance.now() + maxMs;
  // The collector gets a chunk's hits at its end. One hit more than wanted makes it full then.
  const stopped = () => hits > query.maxMatches || performance.now() > endMs;
  const scan = createScanText({ memory, finder, query, stopped });
  // `readsToTheEnd` would need a check of the file system that takes as long as an additional read of some files.
  const options = { scan, stopped, outbox: { ...outbox, hit }, directories, readsToTheEnd: false };
  explainErrors("search", path, () => {
    if (order.isDirectory) scanTree({ ...order, namesIn }, view, options);
    else scanAlone(order.fd, path, options);
  });
  return collector.isFull() || !stopped() ? collector.result(finder.engine) : null;
}

const directories: Directories = { enter: (dir) => (name) => openWithoutBlocking(dir, name), leave() {} };

/** The collector consumes the results at once. */
function outboxTo(collector: HitCollector, maxMatches: number): Outbox {
  let taken = 0;
  return createOutbox(
    {
      post(results) {
        for (const { weight } of collector.take({ ...results, part: 0 })) taken += weight;
      },
      taken: () => taken,
      wait() {},
      stopped: () => false,
    },
    maxMatches,
  );
}

function scanTree(order: FileWalkOptions, view: View, options: ScanChunkOptions): void {
  const judgeIn = createReadJudge(view, order.path);
  const walk = createFileWalk(order);
  try {
    for (let number = 0; !options.stopped(); number++) {
      const chunk = walk.next(CHUNK_FILES, options.stopped);
      if (chunk === null) return;
      reportEntered(view, chunk.entered);
      try {
        scanChunk({ ...chunk, number, runs: readable(chunk.runs, judgeIn) }, options);
      } finally {
        chunk.close();
      }
    }
  } finally {
    walk.close();
  }
}

function readable(runs: readonly SearchRun[], judgeIn: ReadJudge): readonly SearchRun[] {
  return runs.map((run) => ({ ...run, names: run.names.filter(judgeIn(run.path)) }));
}

// The search workers of a workspace. They start when first needed, stay for some time, and run one search at a time.
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { InlineSearch } from "../search-inline.ts";
import { isReachable, type SearchWorkers, startSearchWorkers, type WorkersOrder } from "./workers.ts";

export interface SearchPool {
  /** Waits for earlier searches, then runs `work` with the workers. */
  use<T>(order: WorkersOrder, work: (workers: SearchWorkers) => Promise<T>): Promise<T>;
  /** Whether the workers are running. */
  isAwake(): boolean;
  /** The search without workers. */
  here(): Promise<InlineSearch>;
  close(): void;
}

export function createSearchPool(): SearchPool {
  let workers: SearchWorkers | null = null;
  let here: Promise<InlineSearch> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;

  const terminate = (): void => {
    void workers?.terminate(closed());
    workers = null;
  };

  const useNow = async <T>(order: WorkersOrder, work: (workers: SearchWorkers) => Promise<T>): Promise<T> => {
    if (isClosed) throw closed();
    clearTimeout(idle);
    const canStay = isReachable();
    if (!workers?.isUsable || !canStay) terminate();
    const used = workers ?? startSearchWorkers(canStay ? null : order);
    workers = used;
    try {
      return await work(used);
    } finally {
      used.finish();
      if (!canStay) terminate();
      else if (!isClosed) idle = setTimeout(terminate, LIMITS.searchIdleMs).unref();
    }
  };

  return {
    use(order, work) {
      const used = turn.then(() => useNow(order, work));
      turn = used.catch(() => {});
      return used;
    },
    isAwake: () => workers?.isUsable ?? false,
    async here() {
      // Most code of the search is not needed before the first search.
      here ??= import("../search-inline.ts").then(({ createInlineSearch }) => createInlineSearch());
      const search = await here;
      if (isClosed) throw closed();
      return search;
    },
    close() {
      isClosed = true;
      clearTimeout(idle);
      terminate();
    },
  };
}

function closed(): HotcellError {
  return new HotcellError("WORKSPACE_UNUSABLE", "Could not search: the workspace is closed.");
}

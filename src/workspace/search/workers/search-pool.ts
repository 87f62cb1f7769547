// The search workers of a workspace. They start when first needed, stay for some time, and run one search at a time.
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { HereSearch } from "../search-inline.ts";
import { type Crew, type CrewOrder, createCrew, isReachable } from "./workers.ts";

export interface SearchPool {
  /** Waits for earlier searches, then runs `work` with the workers. */
  use<T>(order: CrewOrder, work: (crew: Crew) => Promise<T>): Promise<T>;
  /** Whether the workers are running. */
  isAwake(): boolean;
  /** The search without workers. */
  here(): Promise<HereSearch>;
  close(): void;
}

export function createSearchPool(): SearchPool {
  let crew: Crew | null = null;
  let here: Promise<HereSearch> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;

  const dismiss = (): void => {
    void crew?.dismiss(closed());
    crew = null;
  };

  const useNow = async <T>(order: CrewOrder, work: (crew: Crew) => Promise<T>): Promise<T> => {
    if (isClosed) throw closed();
    clearTimeout(idle);
    const canStay = isReachable();
    if (!crew?.isFit || !canStay) dismiss();
    const used = crew ?? createCrew(canStay ? null : order);
    crew = used;
    try {
      return await work(used);
    } finally {
      used.rest();
      if (!canStay) dismiss();
      else if (!isClosed) idle = setTimeout(dismiss, LIMITS.searchIdleMs).unref();
    }
  };

  return {
    use(order, work) {
      const used = turn.then(() => useNow(order, work));
      turn = used.catch(() => {});
      return used;
    },
    isAwake: () => crew?.isFit ?? false,
    async here() {
      // Most code of the search is not needed before the first search.
      here ??= import("../search-inline.ts").then(({ createHereSearch }) => createHereSearch());
      const search = await here;
      if (isClosed) throw closed();
      return search;
    },
    close() {
      isClosed = true;
      clearTimeout(idle);
      dismiss();
    },
  };
}

function closed(): HotcellError {
  return new HotcellError("WORKSPACE_UNUSABLE", "Could not search: the workspace is closed.");
}

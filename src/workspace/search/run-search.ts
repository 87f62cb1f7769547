// One search, from the order to the result.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { View } from "../view.ts";
import { createHitCollector, type HitCollector } from "./collect-hits.ts";
import type { Crew, CrewOrder } from "./crew.ts";
import { answer } from "./judged-walk.ts";
import { type Begun, type Failed, type Part, type Report, SHARED } from "./messages.ts";
import { createReadJudge, type ReadJudge } from "./read-judge.ts";
import type { SearchOptions, SearchResult } from "./search-query.ts";

const PROGRESS_MS = 100;
/** Workers that are told to stop do so soon, unless a pattern keeps them. */
const STOP_MS = 50;

export interface SearchTask extends SearchOptions {
  /** Judges what may be read. */
  readonly view: View;
  readonly order: Omit<CrewOrder, "shared">;
}

/** What the steps of one search share. */
interface Running extends SearchTask {
  readonly shared: Int32Array;
  readonly collector: HitCollector;
  readonly judgeIn: ReadJudge;
  /** Ends the threads when the search takes longer, for this reason. */
  readonly endWithin: (ms: number, reason: () => Error) => void;
}

/** When it has ended, however that was, no thread uses anything of the search any more. */
export async function runSearch(crew: Crew, task: SearchTask): Promise<SearchResult> {
  const { order, signal, view } = task;
  const shared = new Int32Array(new SharedArrayBuffer(4 * SHARED.length));
  const collector = createHitCollector(view, order.query);
  const judgeIn = createReadJudge(view, order.path);
  const timers: NodeJS.Timeout[] = [];
  const endWithin = (ms: number, reason: () => Error) => {
    timers.push(setTimeout(() => crew.dismiss(reason()), ms));
  };
  const onAbort = () => {
    stop(shared);
    endWithin(STOP_MS, () => signal!.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener("abort", onAbort);
  try {
    const engine = await searched(crew, { ...task, shared, collector, judgeIn, endWithin });
    signal?.throwIfAborted();
    return collector.result(engine);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Waits until the threads are done, and everything is collected that is wanted. */
function searched(crew: Crew, running: Running): Promise<Begun["engine"]> {
  const { order, shared, collector, judgeIn, endWithin, onProgress } = running;
  return new Promise((resolve, reject) => {
    let engine: Begun["engine"] = "linear";
    let chunks = Number.POSITIVE_INFINITY;
    let isDone = false;
    let failure: unknown = null;
    let told = performance.now();

    const fail = (error: unknown): void => {
      failure ??= error;
      stop(shared);
    };
    const takePart = (part: Part): void => {
      for (const { worker, weight } of collector.take(part)) {
        Atomics.add(shared, SHARED.taken[worker], weight);
        Atomics.notify(shared, SHARED.taken[worker]);
      }
      if (collector.isFull()) stop(shared);
      if (onProgress === undefined || performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      onProgress(collector.seen());
    };
    const settle = (): void => {
      if (!isDone) return;
      if (failure !== null) reject(failure);
      else if (isStopped(shared) || collector.hasAll(chunks)) resolve(engine);
    };
    const take = (report: Report): void => {
      if (report.kind === "part") takePart(report);
      else if (report.kind === "ask") answer(report, shared, judgeIn);
      else if (report.kind === "failed") {
        fail(errorOf(report));
        isDone ||= report.worker === 0;
      } else if (report.kind === "done") {
        chunks = report.chunks;
        isDone = true;
      } else {
        engine = report.engine;
        if (engine === "backtracking")
          endWithin(LIMITS.backtrackingMs, () => tookTooLong(order.query.pattern));
      }
    };
    const onReport = (report: Report): void => {
      try {
        take(report);
      } catch (error) {
        fail(error);
      }
      settle();
    };
    crew.begin({ ...order, shared }, { onReport, onLost: reject });
  });
}

const isStopped = (shared: Int32Array): boolean => Atomics.load(shared, SHARED.stop) === 1;

function stop(shared: Int32Array): void {
  Atomics.store(shared, SHARED.stop, 1);
  for (const waited of [...SHARED.taken, SHARED.judged]) Atomics.notify(shared, waited);
}

function errorOf({ code, message, details }: Failed): Error {
  return code === null ? new Error(message) : new HotcellError(code, message, details);
}

function tookTooLong(pattern: string): HotcellError {
  const message = `Could not search for ${quote(pattern)}: matching took more than ${LIMITS.backtrackingMs} ms. Give a pattern without look-around and back-references.`;
  return new HotcellError("TIMEOUT", message);
}

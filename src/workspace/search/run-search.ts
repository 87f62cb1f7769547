// Runs one search in worker processes, from the order to the result.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { SearchOptions, SearchResult } from "../files/search-query.ts";
import type { View } from "../files/view.ts";
import { createHitCollector, type HitCollector, reportEntered } from "./collect-hits.ts";
import { createReadJudge, type ReadJudge } from "./read-judge.ts";
import { alternateWork } from "./workers/alternate-work.ts";
import type { Ask, FoundMessage, Part, Report, SearchFailed, SearchStarted } from "./workers/messages.ts";
import { unpackHits } from "./workers/packed-hits.ts";
import { unpackEntered } from "./workers/packed-walk.ts";
import { createScheduler } from "./workers/schedule.ts";
import type { SearchWorkers, WorkersOrder } from "./workers/workers.ts";

const PROGRESS_MS = 100;
/** A worker stops soon after the message, unless the matching of a pattern blocks it. */
const STOP_MS = 50;

export interface SearchTask extends SearchOptions {
  /** Decides which files may be read. */
  readonly view: View;
  readonly order: WorkersOrder;
}

/** The state that the steps of one search share. */
interface Running extends SearchTask {
  readonly collector: HitCollector;
  readonly judgeIn: ReadJudge;
  /** Stops the workers: no more results are wanted. */
  readonly stop: () => void;
  readonly isStopped: () => boolean;
  /** Ends the workers if the search takes longer, with this error. */
  readonly endWithin: (ms: number, reason: () => Error) => void;
}

/** When this has settled, no process has a descriptor of the search open any more. */
export async function runSearch(workers: SearchWorkers, task: SearchTask): Promise<SearchResult> {
  const { order, signal, view } = task;
  const collector = createHitCollector(view, order.query);
  const judgeIn = createReadJudge(view, order.path);
  const timers: NodeJS.Timeout[] = [];
  const endWithin = (ms: number, reason: () => Error) => {
    timers.push(setTimeout(() => workers.terminate(reason()), ms));
  };
  let isStopped = false;
  const stop = () => {
    if (!isStopped) workers.stop();
    isStopped = true;
  };
  const onAbort = () => {
    stop();
    endWithin(STOP_MS, () => signal!.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener("abort", onAbort);
  try {
    const steps = { collector, judgeIn, stop, isStopped: () => isStopped, endWithin };
    const engine = await runWorkers(workers, { ...task, ...steps });
    signal?.throwIfAborted();
    return collector.result(engine);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Waits until the workers are done and all wanted results are collected. */
function runWorkers(workers: SearchWorkers, running: Running): Promise<SearchStarted["engine"]> {
  const { view, order, collector, judgeIn, stop, isStopped, endWithin, onProgress } = running;
  const scheduler = createScheduler(workers.send);
  return new Promise((resolve, reject) => {
    let engine: SearchStarted["engine"] = "linear";
    let chunks = Number.POSITIVE_INFINITY;
    let isDone = false;
    let failure: unknown = null;
    let reportedMs = performance.now();

    const fail = (error: unknown): void => {
      failure ??= error;
      stop();
    };
    const takeFound = (found: FoundMessage, part: Part): void => {
      if (found.counts !== null) scheduler.end(part, found.chunk);
      for (const used of collector.take({ ...found, part, files: unpackHits(found.hits) }))
        workers.send(used.part, { kind: "taken", weight: used.weight });
      if (collector.isFull()) stop();
      if (onProgress === undefined || performance.now() - reportedMs < PROGRESS_MS) return;
      reportedMs = performance.now();
      onProgress(collector.seen());
    };
    const judge = (ask: Ask): void => {
      try {
        reportEntered(view, unpackEntered(ask));
        scheduler.add(ask, isStopped() ? NOTHING : judgeIn);
      } catch (error) {
        fail(error);
        scheduler.add(ask, NOTHING);
      }
    };
    // One request per turn of the event loop: else an idle worker would wait until many chunks are judged.
    const asks = alternateWork((ask: Ask) => attempt(() => judge(ask)));
    const takeBegun = (begun: SearchStarted, part: Part): void => {
      scheduler.join(part, begun.descriptors);
      if (part === 1) return;
      engine = begun.engine;
      if (engine === "backtracking") endWithin(LIMITS.backtrackingMs, () => tookTooLong(order.query.pattern));
    };
    const takeFailed = (failed: SearchFailed, part: Part): void => {
      if (part === 0) asks.finish();
      fail(errorOf(failed));
      if (part === 0) {
        isDone = true;
        scheduler.close();
      } else if (failed.chunk !== null) scheduler.end(part, failed.chunk);
    };
    const take = (report: Report, part: Part): void => {
      if (report.kind === "found") takeFound(report, part);
      else if (report.kind === "ask") asks.add(report);
      else if (report.kind === "begun") takeBegun(report, part);
      else if (report.kind === "failed") takeFailed(report, part);
      else {
        chunks = report.chunks;
        isDone = true;
      }
    };
    const settle = (): void => {
      if (!isDone || !scheduler.isHelpOver()) return;
      if (failure !== null) reject(failure);
      else if (isStopped() || collector.hasAll(chunks)) resolve(engine);
    };
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        fail(error);
      }
      settle();
    };
    const onReport = (report: Report, part: Part): void => attempt(() => take(report, part));
    const onLost = (reason: Error): void => {
      asks.clear();
      reject(reason);
    };
    workers.begin(order, { onReport, onLost });
  });
}

const NOTHING: ReadJudge = () => () => false;

function errorOf({ code, message, details }: SearchFailed): Error {
  return code === null ? new Error(message) : new HotcellError(code, message, details);
}

function tookTooLong(pattern: string): HotcellError {
  const message = `Could not search for ${quote(pattern)}: matching took more than ${LIMITS.backtrackingMs} ms. Give a pattern without look-around and back-references.`;
  return new HotcellError("TIMEOUT", message);
}

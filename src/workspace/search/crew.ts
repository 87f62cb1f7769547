// The worker threads of a search. They keep nothing alive unless they are at work.
import os from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";
import type { Ready, Report, SearchOrder } from "./messages.ts";

const MAX_WORKERS = 2;

export interface Crew {
  /** False when a thread has ended: then it is of no use any more. */
  readonly isFit: boolean;
  /** Sets all to work; one search at a time. */
  begin(order: CrewOrder, watch: CrewWatch): void;
  /** The search is over. */
  rest(): void;
  /** Ends the threads, whatever they do; the search under way is lost for this reason. */
  dismiss(reason: Error): Promise<void>;
}

export type CrewOrder = Omit<SearchOrder, "search" | "part" | "port">;

export interface CrewWatch {
  readonly onReport: (report: Report) => void;
  readonly onLost: (reason: Error) => void;
}

export function createCrew(): Crew {
  const count = Math.min(os.availableParallelism(), MAX_WORKERS);
  const workers = Array.from({ length: count }, startWorker);
  const loaded = workers.map(untilLoaded);
  let isFit = true;
  let watch: CrewWatch | null = null;
  let search = 0;

  const dismiss = async (reason: Error): Promise<void> => {
    isFit = false;
    const told = watch;
    watch = null;
    // The second uses directories that the first has open: once that has ended, their numbers may be given to others.
    for (const [index, worker] of [...workers.entries()].reverse()) {
      await loaded[index];
      await worker.terminate();
    }
    told?.onLost(reason);
  };

  for (const worker of workers) {
    worker.on("message", (report: Report | Ready) => {
      // The last words about an earlier search may come late.
      if (report.kind !== "ready" && report.search === search) watch?.onReport(report);
    });
    worker.on("error", (error) => dismiss(error as Error));
    worker.on("exit", () => dismiss(new Error("A thread of the search ended.")));
    worker.unref();
  }

  return {
    get isFit() {
      return isFit;
    },
    begin(order, watching) {
      watch = watching;
      search++;
      const { port1, port2 } = new MessageChannel();
      const ports = [port1, port2] as const;
      workers.forEach((worker, part) => {
        const port = ports[part]!;
        worker.ref();
        worker.postMessage({ ...order, search, part, port }, [port]);
      });
    },
    rest() {
      watch = null;
      for (const worker of workers) worker.unref();
    },
    dismiss,
  };
}

function startWorker(): Worker {
  return new Worker(new URL("./scan-worker.js", import.meta.url), { execArgv: [], name: "hotcell-search" });
}

/** Node leaves the files of modules open when it ends a thread that still loads them. */
function untilLoaded(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once("message", () => resolve());
    worker.once("exit", () => resolve());
  });
}

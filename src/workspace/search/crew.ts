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

interface Member {
  readonly worker: Worker;
  /** How often it still has to say that it is ready. */
  loading: number;
  onLoaded: () => void;
}

export function createCrew(): Crew {
  const members = Array.from({ length: Math.min(os.availableParallelism(), MAX_WORKERS) }, startMember);
  let isFit = true;
  let watch: CrewWatch | null = null;
  let search = 0;

  const dismiss = async (reason: Error): Promise<void> => {
    isFit = false;
    const told = watch;
    watch = null;
    // The second uses directories that the first has open: once that has ended, their numbers may be given to others.
    for (const member of members.toReversed()) await end(member);
    told?.onLost(reason);
  };

  for (const member of members) {
    const { worker } = member;
    worker.on("message", (report: Report | Ready) => {
      if (report.kind === "ready") notice(member);
      // The last words about an earlier search may come late.
      else if (report.search === search) watch?.onReport(report);
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
      members.forEach((member, part) => {
        const port = ports[part]!;
        member.loading++;
        member.worker.ref();
        member.worker.postMessage({ ...order, search, part, port }, [port]);
      });
    },
    rest() {
      watch = null;
      for (const { worker } of members) worker.unref();
    },
    dismiss,
  };
}

function startMember(): Member {
  const url = new URL("./scan-worker.js", import.meta.url);
  return { worker: new Worker(url, { execArgv: [], name: "hotcell-search" }), loading: 1, onLoaded() {} };
}

function notice(member: Member): void {
  member.loading--;
  if (member.loading === 0) member.onLoaded();
}

/** Not while it loads modules: Node would leave their files open. */
async function end(member: Member): Promise<void> {
  await new Promise<void>((resolve) => {
    member.onLoaded = resolve;
    member.worker.once("exit", () => resolve());
    if (member.loading === 0 || member.worker.threadId < 0) resolve();
  });
  await member.worker.terminate();
}

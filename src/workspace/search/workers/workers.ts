// The processes of a search.
import fs from "node:fs";
import os from "node:os";
import { readsToTheEnd } from "../scan/reads-to-the-end.ts";
import type { Part, Report, SearchOrder, WorkerReport } from "./messages.ts";
import { FIRST_GIVEN, type Scanner, startScanner } from "./scanner.ts";

export interface Crew {
  /** False when a process has ended, or this one has other rights now: then it is of no use any more. */
  readonly isFit: boolean;
  /** Sets all to work; one search at a time. */
  begin(order: CrewOrder, watch: CrewWatch): void;
  tell(part: Part, told: WorkerReport): void;
  /** Nothing more is wanted of the search. */
  stop(): void;
  /** The search is over. */
  rest(): void;
  /** Ends the processes, whatever they do; the search under way is lost for this reason. */
  dismiss(reason: Error): Promise<void>;
}

export interface CrewOrder extends Pick<SearchOrder, "query" | "isDirectory" | "path"> {
  /** Where to begin: an open directory, or a file that is open for reading. */
  readonly fd: number;
  /** The workspace's own directory, open. */
  readonly root: number;
}

export interface CrewWatch {
  readonly onReport: (report: Report, part: Part) => void;
  readonly onLost: (reason: Error) => void;
}

/** With an order, the crew is for this one alone, and has its descriptors from the start: where nobody could open them. */
export function createCrew(alone: CrewOrder | null = null): Crew {
  const scanners: Scanner[] = [];
  const rights = rightsNow();
  let isFit = true;
  let watch: CrewWatch | null = null;
  let search = 0;

  const dismiss = async (reason: Error): Promise<void> => {
    isFit = false;
    // The number of a process that has ended may be another's soon: nothing is taken any more from who looks there.
    const told = watch;
    watch = null;
    await Promise.all(scanners.map((scanner) => scanner.end()));
    told?.onLost(reason);
  };
  const start = (part: Part): void => {
    const onReport = (report: Report) => {
      // The last words about an earlier search may come late.
      if (report.search === search) watch?.onReport(report, part);
    };
    const given = alone === null ? [] : [alone.fd, alone.root];
    scanners.push(startScanner(given, { onReport, onEnd: dismiss }));
  };
  try {
    start(0);
    if (alone === null && os.availableParallelism() > 1) start(1);
  } catch (error) {
    void dismiss(error as Error);
    throw error;
  }

  return {
    get isFit() {
      return isFit && rights === rightsNow();
    },
    begin({ fd, root, query, isDirectory, path }, watching) {
      watch = watching;
      search++;
      const [from, top] = alone === null ? [nameOf(fd), nameOf(root)] : GIVEN;
      const place = { isDirectory, path, start: from, root: top };
      const order = { search, query, ...place, readsToTheEnd: isDirectory && readsToTheEnd(fd) };
      scanners.forEach((scanner, part) => {
        scanner.hold(true);
        scanner.tell({ kind: "search", part: part as Part, ...order });
      });
    },
    tell: (part, told) => scanners[part]!.tell(told),
    stop() {
      for (const scanner of scanners) scanner.stop(search);
    },
    rest() {
      watch = null;
      for (const scanner of scanners) scanner.hold(false);
    },
    dismiss,
  };
}

/** By which other processes of the same user open a descriptor of this one. */
const nameOf = (fd: number): string => `/proc/${fs.readlinkSync("/proc/self")}/fd/${fd}`;

const GIVEN = [0, 1].map((at) => `/proc/self/fd/${FIRST_GIVEN + at}`) as [string, string];

/** Whether they can: not where this process has given up another user's rights, or has only lent ones. */
export function isReachable(): boolean {
  const { uid, gid } = fs.statSync("/proc/self/fd");
  const { users, groups } = identity();
  return users.every((user) => user === uid) && groups.every((group) => group === gid);
}

const identity = () => ({
  users: [process.getuid!(), process.geteuid!()],
  groups: [process.getgid!(), process.getegid!()],
});

const rightsNow = (): string => JSON.stringify([identity(), process.getgroups!()]);

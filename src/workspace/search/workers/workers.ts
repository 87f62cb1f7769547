// The worker processes of a search.
import fs from "node:fs";
import os from "node:os";
import { readsToTheEnd } from "../scan/reads-to-the-end.ts";
import type { Part, Report, SearchOrder, WorkerReport } from "./messages.ts";
import { FIRST_GIVEN, type Scanner, startScanner } from "./scanner.ts";

export interface SearchWorkers {
  /** False if a worker has ended or the parent's rights have changed. Then the workers must be replaced. */
  readonly isUsable: boolean;
  /** Starts a search in all workers; one search at a time. */
  begin(order: WorkersOrder, watch: WorkersListener): void;
  send(part: Part, message: WorkerReport): void;
  /** No more results of the search are wanted. */
  stop(): void;
  /** The search is over. */
  finish(): void;
  /** Ends the workers, whatever they do. The running search fails with this error. */
  terminate(reason: Error): Promise<void>;
}

export interface WorkersOrder extends Pick<SearchOrder, "query" | "isDirectory" | "path"> {
  /** The start: an open directory, or a file that is open for reading. */
  readonly fd: number;
  /** The workspace's root, open. */
  readonly root: number;
}

export interface WorkersListener {
  readonly onReport: (report: Report, part: Part) => void;
  readonly onLost: (reason: Error) => void;
}

/** With an order, the workers are only for this order and inherit its descriptors. This is for a parent whose descriptors other processes cannot open. */
export function startSearchWorkers(alone: WorkersOrder | null = null): SearchWorkers {
  const scanners: Scanner[] = [];
  const rights = rightsNow();
  let isFit = true;
  let watch: WorkersListener | null = null;
  let search = 0;

  const terminate = async (reason: Error): Promise<void> => {
    isFit = false;
    // The pid of an ended worker may be reused, and the other worker opens directories by pid. So its reports are ignored from now on.
    const watcher = watch;
    watch = null;
    await Promise.all(scanners.map((scanner) => scanner.end()));
    watcher?.onLost(reason);
  };
  const start = (part: Part): void => {
    const onReport = (report: Report) => {
      // Reports of an earlier search may arrive late.
      if (report.search === search) watch?.onReport(report, part);
    };
    const given = alone === null ? [] : [alone.fd, alone.root];
    scanners.push(startScanner(given, { onReport, onEnd: terminate }));
  };
  try {
    start(0);
    if (alone === null && os.availableParallelism() > 1) start(1);
  } catch (error) {
    void terminate(error as Error);
    throw error;
  }

  return {
    get isUsable() {
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
        scanner.send({ kind: "search", part: part as Part, ...order });
      });
    },
    send: (part, message) => scanners[part]!.send(message),
    stop() {
      for (const scanner of scanners) scanner.stop(search);
    },
    finish() {
      watch = null;
      for (const scanner of scanners) scanner.hold(false);
    },
    terminate,
  };
}

/** The path by which other processes of the same user open a descriptor of this one. */
const nameOf = (fd: number): string => `/proc/${fs.readlinkSync("/proc/self")}/fd/${fd}`;

const GIVEN = [0, 1].map((at) => `/proc/self/fd/${FIRST_GIVEN + at}`) as [string, string];

/** Whether other processes can open this one's descriptors. They cannot if this process has dropped another user's rights, or has temporary ones. */
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

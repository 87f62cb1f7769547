// Polls the limits that the kernel does not enforce. A command may exceed such a limit within one interval.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import type { CommandLimits, Exceeded, LimitReport } from "./command.ts";
import { readSystemText } from "./read-text.ts";

export const WATCH_INTERVAL_MS = 250;

export interface Usage {
  readonly limits: CommandLimits;
  readonly report: LimitReport;
  /** The first process of the command's pid namespace. */
  readonly pid: () => number | null;
  /** Whether the disk limit is exceeded. */
  readonly isDiskOver: () => boolean;
}

export interface DiskUse {
  /** A directory on the disk that the command fills. */
  readonly dir: string;
  /** The bytes in use; null if only the free space of the disk is known. */
  measure(): number | null;
}

/** Starts the check for one command. Throws if the limit is already reached. */
export type DiskMeter = (limit: number) => () => boolean;

/** Measuring is slow. It runs once, and again only after the free space of the disk shrank by the remaining allowance. */
export function startDiskMeter({ dir, measure }: DiskUse): DiskMeter {
  const [free, used] = [freeBytes(dir), measure()];
  return (limit) => {
    if (used === null) return watchFreeSpace(dir, limit);
    const isOver = () => free - freeBytes(dir) > limit - used && measure()! > limit;
    if (isOver()) throw diskLimitReached(limit);
    return isOver;
  };
}

/** Compares the loss of free space on the disk with the limit. */
function watchFreeSpace(dir: string, limit: number): () => boolean {
  const free = freeBytes(dir);
  return () => free - freeBytes(dir) > limit;
}

function diskLimitReached(limit: number): HotcellError {
  const mib = Math.floor(limit / (1024 * 1024));
  const message = `Could not run the command: what the session keeps on the disk, for what was changed and for going back, is more than the ${mib} MiB that it may (commands.diskMb). Commit what is to stay and go on in a new session, discard changes (hotcell session discard), or allow more.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

/** Calls `onExceeded` at most once. Returns a function that stops polling. */
export function watchUsage(usage: Usage, onExceeded: (what: Exceeded) => void): () => void {
  const timer = setInterval(() => {
    const exceeded = findExceeded(usage);
    if (exceeded === null) return;
    clearInterval(timer);
    onExceeded(exceeded);
  }, WATCH_INTERVAL_MS);
  return () => clearInterval(timer);
}

function findExceeded({ limits, report, pid, isDiskOver }: Usage): Exceeded | null {
  const first = pid();
  const counts = report.memory === "polled" || report.processes === "polled";
  const all = first === null || !counts ? [] : descendants(first);
  if (report.processes === "polled" && all.length > limits.processes) return "processes";
  if (report.memory === "polled" && sum(all.map(residentBytes)) > limits.memoryBytes) return "memory";
  return isDiskOver() ? "disk" : null;
}

function freeBytes(dir: string): number {
  const { bavail, bsize } = fs.statfsSync(dir);
  return bavail * bsize;
}

/** All processes of a pid namespace descend from its first process, because it inherits orphans. */
function descendants(pid: number): number[] {
  const found: number[] = [];
  const todo = [pid];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    found.push(next);
    for (const thread of namesIn(`/proc/${next}/task`)) {
      todo.push(
        ...readSystemText(`/proc/${next}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
      );
    }
  }
  return found;
}

const PAGE_BYTES = 4096;

function residentBytes(pid: number): number {
  const [, resident = "0"] = readSystemText(`/proc/${pid}/statm`).split(" ");
  return Number(resident) * PAGE_BYTES;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir);
  } catch {
    return [];
  }
}

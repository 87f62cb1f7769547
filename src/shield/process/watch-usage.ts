// What the kernel does not hold a command to is looked at from time to time. It may be overshot by what fits
// into one interval.
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
  /** Whether there is more on the disk than allowed. */
  readonly isDiskOver: () => boolean;
}

export interface DiskUse {
  /** A directory on the disk that fills. */
  readonly dir: string;
  /** Null where only the disk itself tells. */
  measure(): number | null;
}

/** Begins to watch for one command; throws when the limit is reached before it has begun. */
export type DiskMeter = (limit: number) => () => boolean;

/** Measuring takes long, so it is done once, and then only when the disk has really become fuller by as much as is left. */
export function startDiskMeter({ dir, measure }: DiskUse): DiskMeter {
  const [free, used] = [freeBytes(dir), measure()];
  return (limit) => {
    if (used === null) return fillingWatch(dir, limit);
    const isOver = () => free - freeBytes(dir) > limit - used && measure()! > limit;
    if (isOver()) throw isFull(limit);
    return isOver;
  };
}

/** By what the disk has lost since. */
function fillingWatch(dir: string, limit: number): () => boolean {
  const free = freeBytes(dir);
  return () => free - freeBytes(dir) > limit;
}

function isFull(limit: number): HotcellError {
  const mib = Math.floor(limit / (1024 * 1024));
  const message = `Could not run the command: what the session keeps on the disk, for what was changed and for going back, is more than the ${mib} MiB that it may (commands.diskMb). Commit what is to stay and go on in a new session, discard changes (hotcell session discard), or allow more.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

/** Tells once; gives what ends the watch. */
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

/** All processes of a pid namespace come from its first one, for it inherits the orphans. */
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

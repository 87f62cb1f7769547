// Polls the limits that the kernel does not enforce. A command may exceed such a limit within one interval.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
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
  /** Whether the limit of a home that lasts is exceeded. */
  readonly isHomeOver: () => boolean;
}

export interface DiskUse {
  /** A directory on the disk that the command fills. */
  readonly dir: string;
  /** The bytes in use; null if only the free space of the disk is known. */
  measure(): number | null;
  /** The error if the limit is reached before a command starts. */
  explain(limit: number): HotcellError;
}

/** Starts the check for one command. Throws if the limit is already reached. */
export type DiskMeter = (limit: number) => () => boolean;

/** Measuring is slow. It runs once, and again only after the disk lost the remaining allowance. */
export function startDiskMeter({ dir, measure, explain }: DiskUse): DiskMeter {
  let [free, used] = [freeOf(dir), measure()];
  return (limit) => {
    if (used === null) return watchFreeBytes(dir, limit);
    const isOver = () => {
      const now = freeOf(dir);
      if (lossOf(free, now) <= limit - used!) return false;
      [free, used] = [now, measure()!];
      return used > limit;
    };
    if (isOver()) throw explain(limit);
    return isOver;
  };
}

/** Compares the loss of free space on the disk with the limit. */
function watchFreeBytes(dir: string, limit: number): () => boolean {
  const { bytes } = freeOf(dir);
  return () => bytes - freeOf(dir).bytes > limit;
}

interface FreeSpace {
  readonly bytes: number;
  readonly entries: number;
}

function freeOf(dir: string): FreeSpace {
  const { bavail, bsize, ffree } = fs.statfsSync(dir);
  return { bytes: bavail * bsize, entries: ffree };
}

/** Very many empty files take no bytes of some file systems, only entries of a table. */
function lossOf(before: FreeSpace, now: FreeSpace): number {
  return Math.max(before.bytes - now.bytes, (before.entries - now.entries) * LIMITS.diskBytesOfEntry);
}

export function sessionIsFull(limit: number): HotcellError {
  const mib = Math.floor(limit / (1024 * 1024));
  const message = `Could not run the command: the session uses more disk space than the ${mib} MiB of limits.diskBytes. Its changes, its history, its artifacts and its recordings count, and empty files as 4 KiB each. Commit the changes and continue in a new session, discard changes (hotcell session discard), or raise the limit.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

export function homeIsFull(limit: number): HotcellError {
  const mib = Math.floor(limit / (1024 * 1024));
  const message = `Could not run the command: its home uses more disk space than the ${mib} MiB of limits.homeBytes. Empty files count as 4 KiB each. Remove the home (hotcell run --list-homes, hotcell run --forget), or raise the limit.`;
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

function findExceeded({ limits, report, pid, isDiskOver, isHomeOver }: Usage): Exceeded | null {
  const first = pid();
  const counts = report.memory === "polled" || report.processes === "polled";
  const all = first === null || !counts ? [] : descendants(first);
  if (report.processes === "polled" && all.length > limits.processes) return "processes";
  if (report.memory === "polled" && sum(all.map(residentBytes)) > limits.memoryBytes) return "memory";
  if (isDiskOver()) return "disk";
  return isHomeOver() ? "home" : null;
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

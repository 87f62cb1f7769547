// The limits of a command: what the kernel holds it to, what is looked at from time to time, and who says so.
import fs from "node:fs";
import type { CommandLimits, LimitReport } from "./command.ts";
import type { Tier } from "./tier.ts";

const MiB = 1024 * 1024;

export const DEFAULT_LIMITS: CommandLimits = {
  timeoutMs: 60_000,
  cpuSeconds: 600,
  memoryBytes: 4096 * MiB,
  processes: 512,
  fileBytes: 4096 * MiB,
  openFiles: 4096,
  diskBytes: 8192 * MiB,
  outputBytes: 64 * MiB,
};

/** Home, /tmp and /dev/shm together; they are in memory. */
export const SCRATCH_BYTES = 1024 * MiB;

/** How long a command has between being asked to end and being ended. */
export const GRACE_MS = 5000;

/** Set inside the enclosure, so that processes are counted in its own user namespace. None can be above what this process may have itself. */
export function prlimitArgs(limits: CommandLimits): string[] {
  const own = fs.readFileSync("/proc/self/limits", "latin1");
  const atMost = (value: number, name: string) => Math.min(value, hardLimit(own, name));
  return [
    "prlimit",
    `--nproc=${atMost(limits.processes, "processes")}`,
    `--fsize=${atMost(limits.fileBytes, "file size")}`,
    `--cpu=${atMost(limits.cpuSeconds, "cpu time")}`,
    `--data=${atMost(limits.memoryBytes, "data size")}`,
    `--nofile=${atMost(limits.openFiles, "open files")}`,
    "--core=0",
    "--",
  ];
}

function hardLimit(own: string, name: string): number {
  const hard = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, "m").exec(own)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

/** The kernel does not count the processes of root. Without a mount namespace scratch is on the disk, as large as that. */
export function limitReport(
  { isolation, asRoot }: Pick<Tier, "isolation" | "asRoot">,
  hasCgroup: boolean,
): LimitReport {
  return {
    time: "enforced",
    cpu: "enforced",
    memory: hasCgroup ? "enforced" : "polled",
    processes: hasCgroup || !asRoot ? "enforced" : "polled",
    fileSize: "enforced",
    openFiles: "enforced",
    disk: "polled",
    scratch: isolation === "full" ? "enforced" : "none",
  };
}

// The limits of a command: what the kernel holds it to, what is looked at from time to time, and who says so.
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

/** Set inside the enclosure, so that processes are counted in its own user namespace. */
export function prlimitArgs(limits: CommandLimits): string[] {
  return [
    "prlimit",
    `--nproc=${limits.processes}`,
    `--fsize=${limits.fileBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--data=${limits.memoryBytes}`,
    `--nofile=${limits.openFiles}`,
    "--core=0",
    "--",
  ];
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

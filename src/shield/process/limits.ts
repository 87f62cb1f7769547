// The limits of a command, the arguments that make the kernel enforce them, and the report of which limits are polled.
import fs from "node:fs";
import { LIMITS } from "../../core/limits.ts";
import type { CommandLimits, LimitReport } from "./command.ts";
import type { Tier } from "./tier.ts";

const MiB = 1024 * 1024;

export const DEFAULT_LIMITS: CommandLimits = { timeoutMs: LIMITS.toolTimeoutMs, ...LIMITS.command };

/** The size limit of home, /tmp and /dev/shm together; they are in memory. */
export const SCRATCH_BYTES = 1024 * MiB;

/** The time between SIGTERM and SIGKILL. */
export const GRACE_MS = 5000;

/**
 * The kernel's limit for one process counts the memory that it has mapped, used or not. Runtimes such as Bun map several
 * times what they use, so this limit is higher; the memory in use is limited by a cgroup or by polling.
 */
const MAPPED_PER_USED = 4;

/** No limit can exceed the hard limit of this process. */
function withinOwn(limits: CommandLimits) {
  const own = fs.readFileSync("/proc/self/limits", "latin1");
  const atMost = (value: number, name: string) => Math.min(value, hardLimit(own, name));
  return {
    ...limits,
    processes: atMost(limits.processes, "processes"),
    fileBytes: atMost(limits.fileBytes, "file size"),
    cpuSeconds: atMost(limits.cpuSeconds, "cpu time"),
    mappedBytes: atMost(MAPPED_PER_USED * limits.memoryBytes, "data size"),
    openFiles: atMost(limits.openFiles, "open files"),
  };
}

/**
 * For the shell inside the sandbox, so that the kernel counts processes in the sandbox's user namespace. The option for
 * processes is -p in some shells and -u in others.
 */
export function limitScript(limits: CommandLimits): string {
  const { processes, fileBytes, cpuSeconds, mappedBytes, openFiles } = withinOwn(limits);
  return [
    `{ ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes}; }`,
    `ulimit -f ${Math.floor(fileBytes / 512)}`,
    `ulimit -t ${cpuSeconds}`,
    `ulimit -d ${Math.floor(mappedBytes / 1024)}`,
    `ulimit -n ${openFiles}`,
    "ulimit -c 0",
  ].join(" && ");
}

/** The same limits for a program that is started without a shell. */
export function prlimitArgs(limits: CommandLimits): string[] {
  const { processes, fileBytes, cpuSeconds, mappedBytes, openFiles } = withinOwn(limits);
  return [
    "prlimit",
    `--nproc=${processes}`,
    `--fsize=${fileBytes}`,
    `--cpu=${cpuSeconds}`,
    `--data=${mappedBytes}`,
    `--nofile=${openFiles}`,
    "--core=0",
    "--",
  ];
}

function hardLimit(own: string, name: string): number {
  const hard = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, "m").exec(own)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

/** The kernel does not limit root's processes. Without a mount namespace, scratch is on the disk and has no limit. */
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

import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { ENVIRONMENT } from "../workspace/overlay/room.ts";

export interface SpawnOptions {
  /** Its input and output are this process's own; else there is no input, and the output can be read. */
  readonly attached: boolean;
  /** How many pipes it has beside, from descriptor 3 on. */
  readonly pipes: number;
  readonly cwd?: string;
  /** As `findInheritable` gave them. */
  readonly inheritable: readonly number[];
}

const FIRST_PIPE = 3;

/** What this process was started with must not reach the command either: an open file would be a way out. */
export function spawnAlone(
  [program, ...args]: readonly string[],
  { attached, pipes, cwd, inheritable }: SpawnOptions,
): ChildProcess {
  const nothing = fs.openSync("/dev/null", fs.constants.O_RDONLY);
  try {
    const standard = attached ? ["inherit", "inherit", "inherit"] : ["ignore", "pipe", "pipe"];
    const stdio = [...standard, ...Array(pipes).fill("pipe")];
    const end = FIRST_PIPE + pipes;
    for (const fd of inheritable) if (fd >= end) stdio[fd] = nothing;
    for (let fd = end; fd < stdio.length; fd++) stdio[fd] ??= "ignore";
    return spawn(program!, args, { env: ENVIRONMENT, stdio, cwd });
  } finally {
    fs.closeSync(nothing);
  }
}

const O_CLOEXEC = 0o2000000;

/** Descriptors that an exec would keep: what this process was started with. Node itself opens none such. */
export function findInheritable(): number[] {
  return fs
    .readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd >= FIRST_PIPE && !closesOnExec(fd));
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & O_CLOEXEC) !== 0;
  } catch {
    return true;
  }
}

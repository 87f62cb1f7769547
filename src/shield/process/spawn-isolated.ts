import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../../workspace/fs/helper-environment.ts";
import { createCgroups, type MakeCgroup } from "./cgroup.ts";
import { createPipes, type Pipe, type Pipes } from "./pipes.ts";

export interface SpawnOptions {
  readonly stdio: Stdio;
  /** The number of additional channels, from descriptor 3 on. */
  readonly channels: number;
  /** A descriptor of ours that the child gets after the channels. */
  readonly extraFd?: number;
  readonly cwd?: string;
  readonly resources: SpawnResources;
}

/**
 * Input and output of a child: `captured` without input, and we read the output; `inherited` from us; or `terminal`: we
 * write its input and read its output.
 */
export type Stdio = "captured" | "inherited" | "terminal";

/** Resources that all commands of a cell share. */
export interface SpawnResources {
  /** Our descriptors without close-on-exec. */
  readonly inheritable: readonly number[];
  readonly pipes: Pipes;
  readonly makeCgroup: MakeCgroup;
}

export function createSpawnResources(): SpawnResources {
  return { inheritable: findInheritable(), pipes: createPipes(), makeCgroup: createCgroups() };
}

export interface SpawnedProcess {
  readonly child: ChildProcess;
  /** The channels from descriptor 3 on. */
  readonly channels: readonly Socket[];
  /** Null unless it has a terminal. */
  readonly stdin: Writable | null;
  /** Null if the child inherits ours. */
  readonly stdout: Socket | null;
  readonly stderr: Socket | null;
}

const FIRST_CHANNEL = 3;

/** The child must not inherit descriptors that we inherited: an open file would be a way out of the sandbox. */
export function spawnIsolated(
  [program, ...args]: readonly string[],
  { stdio: kind, channels, extraFd, cwd, resources }: SpawnOptions,
): SpawnedProcess {
  const nothing = fs.openSync("/dev/null", fs.constants.O_RDONLY);
  const outputs: Pipe[] | null = kind === "inherited" ? null : [];
  try {
    if (outputs !== null) while (outputs.length < 2) outputs.push(resources.pipes.open());
    const input = kind === "terminal" ? "pipe" : "ignore";
    const standard =
      outputs === null ? ["inherit", "inherit", "inherit"] : [input, ...outputs.map(({ write }) => write)];
    const given = extraFd === undefined ? [] : [extraFd];
    const stdio = [...standard, ...Array(channels).fill("pipe"), ...given];
    const end = stdio.length;
    for (const fd of resources.inheritable) if (fd >= end) stdio[fd] = nothing;
    for (let fd = end; fd < stdio.length; fd++) stdio[fd] ??= "ignore";
    // Detached into its own session: otherwise Ctrl-C in the terminal would kill the sandbox and everything in it at once.
    const child = spawn(program!, args, { env: HELPER_ENVIRONMENT, stdio, cwd, detached: true });
    // `closed` reports the error. Nobody may be waiting for a child that is started in advance.
    child.on("error", () => {});
    if (child.stdio === undefined) throw noDescriptors();
    const linked = child.stdio.slice(FIRST_CHANNEL, FIRST_CHANNEL + channels) as Socket[];
    // If the child ends before it has read everything, its exit code shows it.
    for (const link of linked) link.on("error", () => {});
    const [stdout = null, stderr = null] = (outputs ?? []).map(
      ({ read }) => new Socket({ fd: read, writable: false }),
    );
    child.stdin?.on("error", () => {});
    return { child, channels: linked, stdin: child.stdin, stdout, stderr };
  } catch (error) {
    for (const { read } of outputs ?? []) fs.closeSync(read);
    throw error;
  } finally {
    for (const fd of [nothing, ...(outputs ?? []).map(({ write }) => write)]) fs.closeSync(fd);
  }
}

/** In this case Node returns a child without streams. */
function noDescriptors(): HotcellError {
  return new HotcellError(
    "EXECUTION_ERROR",
    "Could not start the command: this process has too many files open. Close some, or raise the limit (ulimit -n).",
  );
}

/** Resolves with the exit code when the child has exited and all its output has been read. */
export async function waitForClose({ child, stdout, stderr }: SpawnedProcess): Promise<number | null> {
  const ends = [stdout, stderr].map((stream) => stream && once(stream, "close"));
  const [code] = await once(child, "close");
  await Promise.all(ends);
  return code;
}

const O_CLOEXEC = 0o2000000;

/** Finds descriptors without close-on-exec: those that this process inherited. Node opens none without it. */
function findInheritable(): number[] {
  return fs
    .readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd >= FIRST_CHANNEL && !closesOnExec(fd));
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & O_CLOEXEC) !== 0;
  } catch {
    return true;
  }
}

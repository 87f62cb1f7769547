import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { Socket } from "node:net";
import { HotcellError } from "../../core/errors.ts";
import { HELPER_ENVIRONMENT } from "../../workspace/fs/helper-environment.ts";
import { createCgroups, type MakeCgroup } from "./cgroup.ts";
import { createPipes, type Pipe, type Pipes } from "./pipes.ts";

export interface SpawnOptions {
  /** Its input and output are this process's own; else there is no input, and the output can be read. */
  readonly attached: boolean;
  /** How many ways to talk it has beside, from descriptor 3 on. */
  readonly links: number;
  /** A descriptor that it has as the one after these. */
  readonly also?: number;
  readonly cwd?: string;
  readonly surroundings: Surroundings;
}

/** What is found out once for all commands. */
export interface Surroundings {
  /** Descriptors that an exec would keep. */
  readonly inheritable: readonly number[];
  readonly pipes: Pipes;
  readonly makeCgroup: MakeCgroup;
}

export function createSurroundings(): Surroundings {
  return { inheritable: findInheritable(), pipes: createPipes(), makeCgroup: createCgroups() };
}

export interface Spawned {
  readonly child: ChildProcess;
  /** From descriptor 3 on. */
  readonly links: readonly Socket[];
  /** Null when it is attached. */
  readonly stdout: Socket | null;
  readonly stderr: Socket | null;
}

const FIRST_LINK = 3;

/** What this process was started with must not reach the command either: an open file would be a way out. */
export function spawnAlone(
  [program, ...args]: readonly string[],
  { attached, links, also, cwd, surroundings }: SpawnOptions,
): Spawned {
  const nothing = fs.openSync("/dev/null", fs.constants.O_RDONLY);
  const outputs: Pipe[] | null = attached ? null : [];
  try {
    if (outputs !== null) while (outputs.length < 2) outputs.push(surroundings.pipes.open());
    const standard =
      outputs === null ? ["inherit", "inherit", "inherit"] : ["ignore", ...outputs.map(({ write }) => write)];
    const given = also === undefined ? [] : [also];
    const stdio = [...standard, ...Array(links).fill("pipe"), ...given];
    const end = stdio.length;
    for (const fd of surroundings.inheritable) if (fd >= end) stdio[fd] = nothing;
    for (let fd = end; fd < stdio.length; fd++) stdio[fd] ??= "ignore";
    // In a session of its own: Ctrl-C in the terminal would end the enclosure, and with it at once all that runs there.
    const child = spawn(program!, args, { env: HELPER_ENVIRONMENT, stdio, cwd, detached: true });
    // Whoever waits for its end is told; nobody may be waiting for one that is started ahead.
    child.on("error", () => {});
    if (child.stdio === undefined) throw noDescriptors();
    const linked = child.stdio.slice(FIRST_LINK, FIRST_LINK + links) as Socket[];
    // Whoever ended before it has read everything says so by its exit.
    for (const link of linked) link.on("error", () => {});
    const [stdout = null, stderr = null] = (outputs ?? []).map(
      ({ read }) => new Socket({ fd: read, writable: false }),
    );
    return { child, links: linked, stdout, stderr };
  } catch (error) {
    for (const { read } of outputs ?? []) fs.closeSync(read);
    throw error;
  } finally {
    for (const fd of [nothing, ...(outputs ?? []).map(({ write }) => write)]) fs.closeSync(fd);
  }
}

/** Node gives a child without streams then. */
function noDescriptors(): HotcellError {
  return new HotcellError(
    "EXECUTION_ERROR",
    "Could not start the command: this process has too many files open. Close some, or raise the limit (ulimit -n).",
  );
}

/** When it has exited, and all that it wrote has been read; gives its exit code. */
export async function closed({ child, stdout, stderr }: Spawned): Promise<number | null> {
  const ends = [stdout, stderr].map((stream) => stream && once(stream, "close"));
  const [code] = await once(child, "close");
  await Promise.all(ends);
  return code;
}

const O_CLOEXEC = 0o2000000;

/** Descriptors that an exec would keep: what this process was started with. Node itself opens none such. */
function findInheritable(): number[] {
  return fs
    .readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd >= FIRST_LINK && !closesOnExec(fd));
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & O_CLOEXEC) !== 0;
  } catch {
    return true;
  }
}

// Starts a command in its enclosure. It has a pid namespace of its own: with the first process of that
// namespace ends everything that the command ever started.
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import type { Duplex, Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { osPath } from "../workspace/names.ts";
import type { Descriptors } from "./bwrap-args.ts";
import { spawnAlone } from "./spawn-alone.ts";

export interface Start {
  /** The command line up to bubblewrap's own arguments: entering the room, giving up rights. */
  readonly entry: readonly string[];
  readonly bwrapArgs: (descriptors: Descriptors) => readonly string[];
  readonly seccomp: Uint8Array;
  readonly argv: readonly string[];
  /** Its input and output are this process's own; else there is no input, and the output can be read. */
  readonly attached: boolean;
  readonly inheritable: readonly number[];
  /** Called when it has a process, before it begins. */
  readonly place: (pid: number) => void;
}

export interface StartedProcess {
  /** Null when it is attached. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** The first process of its pid namespace, as the host numbers it; null until there is one. */
  readonly pid: () => number | null;
  /** Settles when everything that it started is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** Asks all of the command's process group to end. */
  terminate(): void;
  /** Ends everything. */
  kill(): void;
}

export interface ProcessEnd {
  readonly exitCode: number;
  readonly signal: string | null;
}

const ARGS = 3;
const DESCRIPTORS: Descriptors = { seccomp: 4, status: 5, hold: 6 };
const PIPES = 7;
const END_OF_ARG = Buffer.from([0]);

/** Nothing of ours is in its environment or among its arguments: both could be read from inside. */
export function startProcess({
  entry,
  bwrapArgs,
  seccomp,
  argv,
  attached,
  place,
  inheritable,
}: Start): StartedProcess {
  const line = [...entry, "bwrap", "--args", `${ARGS}`, "--", ...argv];
  const child = spawnAlone(line, { attached, pipes: PIPES - ARGS, inheritable });
  const pipe = (fd: number) => child.stdio[fd as 3] as Duplex;
  const give = (fd: number, bytes: string | Uint8Array) => pipe(fd).end(bytes);
  // Whoever ended before it has read everything says so by its exit.
  for (let fd = ARGS; fd < PIPES; fd++) pipe(fd).on("error", () => {});
  // Until it has a process, there is none to be ended.
  let isOver = false;
  let failure: unknown = null;
  const begin = (pid: number) => {
    if (isOver) return signalTo(pid, "SIGKILL");
    try {
      place(pid);
      give(DESCRIPTORS.hold, "go");
    } catch (error) {
      failure = error;
      signalTo(pid, "SIGKILL");
    }
  };
  const status = readStatus(pipe(DESCRIPTORS.status), begin);
  give(ARGS, Buffer.concat(bwrapArgs(DESCRIPTORS).flatMap((arg) => [Buffer.from(osPath(arg)), END_OF_ARG])));
  give(DESCRIPTORS.seccomp, seccomp);
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    pid: status.pid,
    ended: endOf(child, status).finally(() => {
      if (failure !== null) throw failure;
    }),
    terminate() {
      const pid = status.pid();
      isOver = true;
      if (pid !== null) void terminateGroup(pid);
    },
    kill() {
      const pid = status.pid();
      isOver = true;
      if (pid !== null) signalTo(pid, "SIGKILL");
    },
  };
}

interface Status {
  pid(): number | null;
  exitCode(): number | null;
}

/** One JSON document a line: first the process, at last how the command ended. */
function readStatus(stream: Readable, onPid: (pid: number) => void): Status {
  const known: { pid: number | null; exitCode: number | null } = { pid: null, exitCode: null };
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop()!;
    for (const said of lines.map((line) => JSON.parse(line))) {
      known.exitCode = said["exit-code"] ?? known.exitCode;
      if (said["child-pid"] === undefined) continue;
      known.pid = said["child-pid"];
      onPid(said["child-pid"]);
    }
  });
  return { pid: () => known.pid, exitCode: () => known.exitCode };
}

/** Bubblewrap says nothing of the exit of a command that it could not start, nor of one whose whole namespace was ended. */
async function endOf(child: ChildProcess, status: Status): Promise<ProcessEnd> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (error) => reject(cannotStart(error.message)));
    child.on("close", resolve);
  });
  const pid = status.pid();
  if (pid !== null) await gone(pid);
  const exitCode = status.exitCode() ?? code ?? 128 + os.constants.signals.SIGKILL;
  if (status.exitCode() === null && exitCode <= 128) throw cannotStart(said);
  return { exitCode, signal: signalOf(exitCode) };
}

export const MAX_SAID = 2000;

export function cannotStart(reason: string): HotcellError {
  // A command that has begun after all may have written it: it is shown as what it is, a text.
  const said = reason.trim() === "" ? "nothing" : quote(reason.trim().replaceAll("\n", "; "));
  return new HotcellError(
    "NO_SANDBOX",
    `Could not start the command in its shield, or see how it ended; what was said is ${said}. Run hotcell doctor.`,
  );
}

/** By the shells' convention; a command that itself exits with 137 can't be told from one that was killed. */
function signalOf(exitCode: number): string | null {
  const found = Object.entries(os.constants.signals).find(([, number]) => number === exitCode - 128);
  return found?.[0] ?? null;
}

/** The namespace's first process does not heed it: as long as the command has not begun there is nobody to ask. */
async function terminateGroup(first: number): Promise<void> {
  for (let tries = 0; tries < 200 && isAlive(first) && !hasChild(first); tries++) await setTimeout(5);
  signalTo(-first, "SIGTERM");
}

function hasChild(pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1") !== "";
  } catch {
    return false;
  }
}

/** The namespace outlives bubblewrap's exit by a moment. Its first process is a zombie, or gone, only when all others are. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) {
    signalTo(pid, "SIGKILL");
    await setTimeout(1);
  }
}

function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** A negative number is a process group. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (osErrorCode(error) !== "ESRCH") throw error;
  }
}

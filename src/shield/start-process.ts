// Starts a command in its enclosure. It has a pid namespace of its own: with the first process of that
// namespace ends everything that the command ever started.
import fs from "node:fs";
import os from "node:os";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { ARGS, DESCRIPTORS, GATE } from "./entrance-line.ts";
import { readText } from "./read-text.ts";
import { closed, type Spawned } from "./spawn-alone.ts";

export interface Start {
  /** Waits for its arguments; its command line is an `entranceLine`. */
  readonly spawned: Spawned;
  /** As `enclosureText` gives it. */
  readonly enclosure: Uint8Array;
  readonly seccomp: Uint8Array;
  /** Called for each process that it has before it begins, which it does not before that is done. */
  readonly place: (pid: number) => Promise<void>;
  readonly onBegin: () => void;
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

export function startProcess({ spawned, enclosure, seccomp, place, onBegin }: Start): StartedProcess {
  const pipe = (fd: number) => spawned.links[fd - ARGS]!;
  const state: State = {
    pid: null,
    hasBegun: false,
    isOver: false,
    exitCode: null,
    failure: null,
  };
  const kill = () => {
    state.isOver = true;
    if (state.pid !== null) signalTo(state.pid, "SIGKILL");
  };
  const isPlaced = readStatus(pipe(DESCRIPTORS.status), state).then(async (pid) => {
    if (state.isOver) kill();
    else await place(pid);
    return pid;
  });
  const isReady = new Promise((resolve) => pipe(GATE).once("data", resolve));
  const begin = async () => {
    const [pid] = await Promise.all([isPlaced, isReady]);
    for (const child of childrenOf(pid)) await place(child);
    if (state.isOver) return;
    state.hasBegun = true;
    pipe(GATE).end("go\n");
    onBegin();
  };
  begin().catch((error) => {
    // One that has ended by itself says why.
    if (state.isOver || osErrorCode(error) === "ESRCH") return;
    state.failure = error;
    kill();
  });
  pipe(ARGS).end(enclosure);
  pipe(DESCRIPTORS.seccomp).end(seccomp);
  return {
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    pid: () => state.pid,
    ended: endOf(spawned, state),
    terminate() {
      if (state.hasBegun) signalTo(-state.pid!, "SIGTERM");
      else kill();
    },
    kill,
  };
}

interface State {
  /** The first process of its pid namespace, which leads its session. */
  pid: number | null;
  hasBegun: boolean;
  /** It must not begin any more, or go on. */
  isOver: boolean;
  exitCode: number | null;
  failure: unknown;
}

/** One JSON document a line: first the process, which is given, at last how the command ended. */
function readStatus(stream: Readable, state: State): Promise<number> {
  let text = "";
  return new Promise((resolve) => {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop()!;
      for (const said of lines.map((line) => JSON.parse(line))) {
        state.exitCode = said["exit-code"] ?? state.exitCode;
        if (said["child-pid"] === undefined) continue;
        state.pid = said["child-pid"];
        resolve(said["child-pid"]);
      }
    });
  });
}

/** bubblewrap says nothing of the exit of a command whose whole namespace was ended. */
async function endOf(spawned: Spawned, state: State): Promise<ProcessEnd> {
  let said = "";
  spawned.stderr?.on("data", (chunk: Buffer) => {
    if (!state.hasBegun && said.length < MAX_SAID) said += chunk;
  });
  const code = await closed(spawned).catch((error) => {
    throw cannotStart(error.message);
  });
  if (state.pid !== null) await gone(state.pid);
  if (state.failure !== null) throw state.failure;
  if (!state.hasBegun && !state.isOver) throw cannotStart(said);
  const exitCode = state.exitCode ?? code ?? KILLED;
  return { exitCode, signal: signalOf(exitCode) };
}

const KILLED = 128 + os.constants.signals.SIGKILL;

export const MAX_SAID = 2000;

export function cannotStart(reason: string): HotcellError {
  const said = reason.trim() === "" ? "nothing" : quote(reason.trim().replaceAll("\n", "; "));
  return new HotcellError(
    "NO_SANDBOX",
    `Could not start the command in its shield; what was said is ${said}. Run hotcell doctor.`,
  );
}

/** By the shells' convention; a command that itself exits with 137 can't be told from one that was killed. */
function signalOf(exitCode: number): string | null {
  return signalName(exitCode - 128);
}

export function signalName(number: number): string | null {
  return Object.entries(os.constants.signals).find(([, known]) => known === number)?.[0] ?? null;
}

const childrenFile = (pid: number): string => `/proc/${pid}/task/${pid}/children`;

function childrenOf(pid: number): number[] {
  return readText(childrenFile(pid)).split(" ").filter(Boolean).map(Number);
}

/**
 * The namespace outlives bubblewrap's exit by a moment. All others in it descend from its first process, which inherits
 * orphans: when that has been told to end and has no child, there is nobody else, and there will be nobody.
 */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) {
    signalTo(pid, "SIGKILL");
    if (!hasChildren(pid)) return;
    await setTimeout(1);
  }
}

export function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

function hasChildren(pid: number): boolean {
  try {
    return fs.readFileSync(childrenFile(pid), "latin1") !== "";
  } catch {
    return isAlive(pid);
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

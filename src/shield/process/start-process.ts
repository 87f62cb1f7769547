// Starts a command in its enclosure. It has a pid namespace of its own: with the first process of that
// namespace ends everything that the command ever started.
import fs from "node:fs";
import os from "node:os";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { Cgroup } from "./cgroup.ts";
import { readSystemText } from "./read-text.ts";
import type { Entrance } from "./sandbox-process.ts";
import { closed } from "./spawn-isolated.ts";

export interface Start {
  /** Its enclosure is being made. */
  readonly entrance: Entrance;
  /** A `commandText`. */
  readonly command: Uint8Array;
  readonly onBegin: () => void;
}

export interface StartedProcess {
  /** Null when it is attached. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** It has all its processes in it before it begins. Null where none can be made. To be closed at the end. */
  readonly cgroup: Cgroup | null;
  /** The first process of its pid namespace, as the host numbers it; null until there is one. */
  readonly pid: () => number | null;
  /** Settles when everything that it started is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** Tells all of the command's process group what Ctrl-C tells. */
  interrupt(): void;
  /** Asks all of it to end. */
  terminate(): void;
  /** Ends everything. */
  kill(): void;
}

export interface ProcessEnd {
  readonly exitCode: number;
  readonly signal: string | null;
}

export function startProcess({ entrance, command, onBegin }: Start): StartedProcess {
  const { spawned, status } = entrance;
  const state: State = { hasBegun: false, isOver: false, failure: null };
  const kill = () => {
    state.isOver = true;
    if (status.pid !== null) signalTo(status.pid, "SIGKILL");
  };
  const begin = async () => {
    await entrance.isMade;
    if (state.isOver) kill();
    await entrance.isReady;
    if (state.isOver) return;
    state.hasBegun = true;
    entrance.begin(command);
    onBegin();
  };
  begin().catch((error) => {
    // One that has ended by itself says why.
    if (state.isOver || osErrorCode(error) === "ESRCH") return;
    state.failure = error;
    kill();
  });
  const tell = (signal: NodeJS.Signals) => () => {
    if (state.hasBegun) signalTo(-status.pid!, signal);
    else kill();
  };
  return {
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    cgroup: entrance.cgroup,
    pid: () => status.pid,
    ended: endOf(entrance, state),
    interrupt: tell("SIGINT"),
    terminate: tell("SIGTERM"),
    kill,
  };
}

interface State {
  hasBegun: boolean;
  /** It must not begin any more, or go on. */
  isOver: boolean;
  failure: unknown;
}

/** bubblewrap says nothing of the exit of a command whose whole namespace was ended. */
async function endOf({ spawned, status, close }: Entrance, state: State): Promise<ProcessEnd> {
  let said = "";
  spawned.stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk;
  });
  const code = await closed(spawned)
    .catch((error) => {
      throw cannotStart(error.message);
    })
    .finally(close);
  if (status.pid !== null) await gone(status.pid);
  if (state.failure !== null) throw state.failure;
  if (!state.hasBegun && !state.isOver) throw cannotStart(said);
  if (status.isRefused) throw cannotBegin(said);
  const exitCode = status.exitCode ?? code ?? KILLED;
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

function cannotBegin(reason: string): HotcellError {
  const message = `Could not begin the command in its directory, under its limits: ${quote(reason.trim())}. Nothing of it was run.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

/** By the shells' convention; a command that itself exits with 137 can't be told from one that was killed. */
function signalOf(exitCode: number): string | null {
  return signalName(exitCode - 128);
}

export function signalName(number: number): string | null {
  return Object.entries(os.constants.signals).find(([, known]) => known === number)?.[0] ?? null;
}

const childrenFile = (pid: number): string => `/proc/${pid}/task/${pid}/children`;

export function childrenOf(pid: number): number[] {
  return readSystemText(childrenFile(pid)).split(" ").filter(Boolean).map(Number);
}

/**
 * The namespace outlives bubblewrap's exit by a moment. All others in it descend from its first process, which inherits
 * orphans: when that has been told to end and has no child, there is nobody else, and there will be nobody.
 */
export async function gone(pid: number): Promise<void> {
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

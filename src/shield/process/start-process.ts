// Starts a command in its sandbox. The sandbox has its own pid namespace: when the first process of the namespace
// ends, the kernel kills everything that the command started.
import fs from "node:fs";
import os from "node:os";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { SandboxTerminal } from "../terminal/connect-terminal.ts";
import type { Cgroup } from "./cgroup.ts";
import { readSystemText } from "./read-text.ts";
import type { SandboxProcess } from "./sandbox-process.ts";
import { waitForClose } from "./spawn-isolated.ts";

export interface StartProcessOptions {
  /** A sandbox whose creation has begun. */
  readonly sandbox: SandboxProcess;
  /** A `commandScript`. */
  readonly command: Uint8Array;
  /** The command begins after it. */
  readonly ready: Promise<unknown>;
  readonly onBegin: () => void;
}

export interface StartedProcess {
  /** The command's terminal; null if it has none. */
  readonly terminal: SandboxTerminal | null;
  /** Null if the command inherits our output or has a terminal. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Contains all processes before the command begins. Null if no cgroup can be created. The caller closes it at the end. */
  readonly cgroup: Cgroup | null;
  /** The host's pid of the first process of the pid namespace; null until it exists. */
  readonly pid: () => number | null;
  /** Resolves when the command and all its descendants have ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGINT to the command's process group, like Ctrl-C. */
  interrupt(): void;
  /** Sends SIGTERM to the process group. */
  terminate(): void;
  /** Kills all processes of the sandbox. */
  kill(): void;
}

export interface ProcessEnd {
  readonly exitCode: number;
  readonly signal: string | null;
}

export function startProcess({ sandbox, command, ready, onBegin }: StartProcessOptions): StartedProcess {
  const { spawned, status } = sandbox;
  const state: State = { hasBegun: false, isOver: false, failure: null };
  const kill = () => {
    state.isOver = true;
    if (status.pid !== null) sendSignal(status.pid, "SIGKILL");
  };
  const begin = async () => {
    await sandbox.created;
    if (state.isOver) kill();
    await sandbox.ready;
    await ready;
    if (state.isOver) return;
    state.hasBegun = true;
    sandbox.begin(command);
    onBegin();
  };
  begin().catch((error) => {
    // If the process ended on its own, `endOf` reports the reason.
    if (state.isOver || osErrorCode(error) === "ESRCH") return;
    state.failure = error;
    kill();
  });
  const signalGroup = (signal: NodeJS.Signals) => () => {
    if (state.hasBegun) sendSignal(-status.pid!, signal);
    else kill();
  };
  const terminal = terminalOf(sandbox);
  return {
    terminal,
    stdout: terminal === null ? spawned.stdout : null,
    stderr: terminal === null ? spawned.stderr : null,
    cgroup: sandbox.cgroup,
    pid: () => status.pid,
    ended: endOf(sandbox, state),
    interrupt: signalGroup("SIGINT"),
    terminate: signalGroup("SIGTERM"),
    kill,
  };
}

function terminalOf({ spawned, resize }: SandboxProcess): SandboxTerminal | null {
  const { stdin, stdout, stderr } = spawned;
  if (stdin === null || stdout === null || stderr === null) return null;
  return { input: stdin, output: stdout, errors: stderr, resize };
}

interface State {
  hasBegun: boolean;
  /** The command was killed: it must not begin or continue. */
  isOver: boolean;
  failure: unknown;
}

/** bubblewrap reports no exit code if the whole pid namespace was killed. */
async function endOf({ spawned, status, close }: SandboxProcess, state: State): Promise<ProcessEnd> {
  let said = "";
  spawned.stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_ERROR_CHARS) said += chunk;
  });
  const code = await waitForClose(spawned)
    .catch((error) => {
      throw cannotStart(error.message);
    })
    .finally(close);
  if (status.pid !== null) await waitForExit(status.pid);
  if (state.failure !== null) throw state.failure;
  if (!state.hasBegun && !state.isOver) throw cannotStart(said);
  if (status.isRefused) throw cannotBegin(said);
  const exitCode = status.exitCode ?? code ?? KILLED;
  return { exitCode, signal: signalOf(exitCode) };
}

const KILLED = 128 + os.constants.signals.SIGKILL;

export const MAX_ERROR_CHARS = 2000;

export function cannotStart(reason: string): HotcellError {
  const said = reason.trim() === "" ? "nothing" : quote(reason.trim().replaceAll("\n", "; "));
  return new HotcellError(
    "NO_SANDBOX",
    `Could not start the command in its sandbox. The error output is ${said}. Run hotcell doctor.`,
  );
}

function cannotBegin(reason: string): HotcellError {
  const message = `Could not begin the command in its directory, under its limits: ${quote(reason.trim())}. The command did not run.`;
  return new HotcellError("EXECUTION_ERROR", message);
}

/** By the convention of shells. A command that exits with 137 cannot be distinguished from a killed one. */
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
 * Waits until the pid namespace is empty, which takes a moment after bubblewrap's exit. The first process inherits orphans,
 * so all others descend from it. When it has SIGKILL pending and has no child, no other process exists or can appear.
 */
export async function waitForExit(pid: number): Promise<void> {
  while (isAlive(pid)) {
    sendSignal(pid, "SIGKILL");
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

/** A negative pid means a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (osErrorCode(error) !== "ESRCH") throw error;
  }
}

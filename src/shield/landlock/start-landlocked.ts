// Starts a command in the Landlock sandbox, under a supervisor that ends all its descendants.
import os from "node:os";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import type { CgroupLimits } from "../process/cgroup.ts";
import {
  type SpawnedProcess,
  type SpawnResources,
  type Stdio,
  spawnIsolated,
  waitForClose,
} from "../process/spawn-isolated.ts";
import {
  cannotStart,
  MAX_ERROR_CHARS,
  type ProcessEnd,
  type StartedProcess,
  sendSignal,
  signalName,
} from "../process/start-process.ts";
import { type LandlockPlan, landlockArgs } from "./landlock.ts";

export interface LandlockStart {
  readonly plan: Omit<LandlockPlan, "descriptors">;
  readonly seccomp: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdio: Stdio;
  readonly stderrToStdout: boolean;
  readonly resources: SpawnResources;
  readonly limits: CgroupLimits;
  readonly onBegin: () => void;
}

const DESCRIPTORS = { link: 3, seccomp: 4, env: 5 };
const STDOUT = 1;

interface Reported {
  /** The command's first process, which is the leader of its process group. */
  pid: number | null;
  hasBegun: boolean;
  end: ProcessEnd | null;
}

export function startLandlocked(start: LandlockStart): StartedProcess {
  const { plan, seccomp, env, cwd, stdio, stderrToStdout, resources, limits, onBegin } = start;
  const descriptors = { ...DESCRIPTORS, ...(stderrToStdout && { stderr: STDOUT }) };
  const line = landlockArgs({ ...plan, descriptors });
  const spawned = spawnIsolated(line, { stdio, channels: 3, cwd, resources });
  const cgroup = resources.makeCgroup(limits);
  const { child } = spawned;
  const pipe = (fd: number) => child.stdio[fd as 3] as Duplex;
  const link = pipe(DESCRIPTORS.link);
  let isKilled = false;
  let failure: unknown = null;
  const begin = async (pid: number) => {
    await cgroup?.add(pid);
    if (isKilled) return;
    link.write("g");
    onBegin();
  };
  const reported = listen(link, (pid) => {
    begin(pid).catch((error) => {
      failure = error;
      kill();
    });
  });
  pipe(DESCRIPTORS.seccomp).end(seccomp);
  pipe(DESCRIPTORS.env).end(encodeVariables(env));
  const kill = () => {
    isKilled = true;
    link.end();
  };
  const signalGroup = (signal: NodeJS.Signals) => () => {
    if (reported.pid === null || !reported.hasBegun) kill();
    else if (reported.end === null) sendSignal(-reported.pid, signal);
  };
  return {
    terminal: null,
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    cgroup,
    pid: () => child.pid ?? null,
    ended: endOf(spawned, reported, () => isKilled).finally(() => {
      if (failure !== null) throw failure;
    }),
    interrupt: signalGroup("SIGINT"),
    terminate: signalGroup("SIGTERM"),
    kill,
  };
}

function encodeVariables(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join("");
}

/** The channel carries one line for each event: the pid, the start in the sandbox, and the end. */
function listen(link: Duplex, onPid: (pid: number) => void): Reported {
  const reported: Reported = { pid: null, hasBegun: false, end: null };
  createInterface(link).on("line", (line) => {
    const [what, ...numbers] = line.split(" ");
    const [first = 0, signal = 0] = numbers.map(Number);
    if (what === "begun") reported.hasBegun = true;
    if (what === "ended") reported.end = endBy(first, signal);
    if (what !== "child") return;
    reported.pid = first;
    onPid(first);
  });
  return reported;
}

function endBy(exitCode: number, number: number): ProcessEnd {
  if (number === 0) return { exitCode, signal: null };
  return { exitCode: 128 + number, signal: signalName(number) ?? `SIG${number}` };
}

const KILLED = endBy(0, os.constants.signals.SIGKILL);

async function endOf(
  spawned: SpawnedProcess,
  reported: Reported,
  isKilled: () => boolean,
): Promise<ProcessEnd> {
  const { child } = spawned;
  let said = "";
  spawned.stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_ERROR_CHARS) said += chunk;
  });
  const everything = waitForClose(spawned);
  everything.catch(() => {});
  const linkClosed = new Promise((resolve) => child.stdio[DESCRIPTORS.link]!.on("close", resolve));
  await new Promise((resolve, reject) => {
    child.on("error", (error) => reject(cannotStart(error.message)));
    child.on("exit", resolve);
  });
  await linkClosed;
  if (reported.end === null) endAfterSupervisor(spawned, reported);
  await everything;
  if (!reported.hasBegun && !isKilled()) throw cannotStart(said);
  return reported.end ?? KILLED;
}

/** Somebody killed the supervisor. Processes that are left may keep the output open. */
function endAfterSupervisor({ stdout, stderr }: SpawnedProcess, { pid }: Reported): void {
  if (pid !== null) sendSignal(-pid, "SIGKILL");
  stdout?.destroy();
  stderr?.destroy();
}

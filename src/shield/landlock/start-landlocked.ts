// Starts a command that Landlock shuts in, under a supervisor that ends everything it started.
import os from "node:os";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import type { CgroupLimits } from "../process/cgroup.ts";
import { closed, type Spawned, type Surroundings, spawnAlone } from "../process/spawn-isolated.ts";
import {
  cannotStart,
  MAX_SAID,
  type ProcessEnd,
  type StartedProcess,
  signalName,
  signalTo,
} from "../process/start-process.ts";
import { type LandlockPlan, landlockArgs } from "./landlock.ts";

export interface LandlockStart {
  readonly plan: Omit<LandlockPlan, "descriptors">;
  readonly seccomp: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly attached: boolean;
  readonly stderrToStdout: boolean;
  readonly surroundings: Surroundings;
  readonly limits: CgroupLimits;
  readonly onBegin: () => void;
}

const DESCRIPTORS = { link: 3, seccomp: 4, env: 5 };
const STDOUT = 1;

interface Told {
  /** The command's first process, which leads its group. */
  pid: number | null;
  hasBegun: boolean;
  end: ProcessEnd | null;
}

export function startLandlocked(start: LandlockStart): StartedProcess {
  const { plan, seccomp, env, cwd, attached, stderrToStdout, surroundings, limits, onBegin } = start;
  const descriptors = { ...DESCRIPTORS, ...(stderrToStdout && { stderr: STDOUT }) };
  const line = landlockArgs({ ...plan, descriptors });
  const spawned = spawnAlone(line, { attached, links: 3, cwd, surroundings });
  const cgroup = surroundings.makeCgroup(limits);
  const { child } = spawned;
  const pipe = (fd: number) => child.stdio[fd as 3] as Duplex;
  const link = pipe(DESCRIPTORS.link);
  let isAsked = false;
  let failure: unknown = null;
  const begin = async (pid: number) => {
    await cgroup?.add(pid);
    if (isAsked) return;
    link.write("g");
    onBegin();
  };
  const told = listen(link, (pid) => {
    begin(pid).catch((error) => {
      failure = error;
      kill();
    });
  });
  pipe(DESCRIPTORS.seccomp).end(seccomp);
  pipe(DESCRIPTORS.env).end(variables(env));
  const kill = () => {
    isAsked = true;
    link.end();
  };
  const tell = (signal: NodeJS.Signals) => () => {
    if (told.pid === null || !told.hasBegun) kill();
    else if (told.end === null) signalTo(-told.pid, signal);
  };
  return {
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    cgroup,
    pid: () => child.pid ?? null,
    ended: endOf(spawned, told, () => isAsked).finally(() => {
      if (failure !== null) throw failure;
    }),
    interrupt: tell("SIGINT"),
    terminate: tell("SIGTERM"),
    kill,
  };
}

function variables(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join("");
}

/** One line for each: which process it is, that it is shut in, and how it ended. */
function listen(link: Duplex, onPid: (pid: number) => void): Told {
  const told: Told = { pid: null, hasBegun: false, end: null };
  createInterface(link).on("line", (line) => {
    const [what, ...numbers] = line.split(" ");
    const [first = 0, signal = 0] = numbers.map(Number);
    if (what === "begun") told.hasBegun = true;
    if (what === "ended") told.end = endBy(first, signal);
    if (what !== "child") return;
    told.pid = first;
    onPid(first);
  });
  return told;
}

function endBy(exitCode: number, number: number): ProcessEnd {
  if (number === 0) return { exitCode, signal: null };
  return { exitCode: 128 + number, signal: signalName(number) ?? `SIG${number}` };
}

const KILLED = endBy(0, os.constants.signals.SIGKILL);

async function endOf(spawned: Spawned, told: Told, isAsked: () => boolean): Promise<ProcessEnd> {
  const { child } = spawned;
  let said = "";
  spawned.stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk;
  });
  const everything = closed(spawned);
  everything.catch(() => {});
  const silent = new Promise((resolve) => child.stdio[DESCRIPTORS.link]!.on("close", resolve));
  await new Promise((resolve, reject) => {
    child.on("error", (error) => reject(cannotStart(error.message)));
    child.on("exit", resolve);
  });
  await silent;
  if (told.end === null) endWithout(spawned, told);
  await everything;
  if (!told.hasBegun && !isAsked()) throw cannotStart(said);
  return told.end ?? KILLED;
}

/** Somebody has ended the supervisor itself. What it left may hold the output open. */
function endWithout({ stdout, stderr }: Spawned, { pid }: Told): void {
  if (pid !== null) signalTo(-pid, "SIGKILL");
  stdout?.destroy();
  stderr?.destroy();
}

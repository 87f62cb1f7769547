// Injects faults at every step of an unmodified program. strace lists its system calls on the files of interest, then runs
// it again for each call and each fault: the call fails, or the process is killed as it enters the call. Only the main
// thread is traced, which does the synchronous file operations; faults in the runtime's other threads would prove nothing.
// Tracing begins after the modules are loaded: loading is not under test, and slow to trace.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export type FaultKind = "SIGKILL" | "ENOSPC" | "EIO" | "EACCES" | "EMFILE";

export interface FaultPlan {
  /** Node, a program for it, and arguments. */
  readonly argv: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The system calls that get faults. Names that this machine does not have are ignored. */
  readonly syscalls: readonly string[];
  /** Only calls with an argument that begins with this path, or one of these. */
  readonly pathPrefix: string | readonly string[];
  readonly kinds?: readonly FaultKind[];
  /** Restores the state that the program starts from. */
  reset(): void | Promise<void>;
  /** Throws if an invariant does not hold after the fault. */
  check(fault: Fault): void | Promise<void>;
}

export interface Fault {
  readonly kind: FaultKind;
  /** The call as strace shows it. */
  readonly call: string;
  readonly exitCode: number | null;
  readonly stdout: string;
}

interface Point {
  readonly syscall: string;
  /** The index among the calls of that name. */
  readonly nth: number;
  /** The index among those on the files of interest. */
  readonly order: number;
  readonly call: string;
}

const ALL_KINDS: readonly FaultKind[] = ["SIGKILL", "ENOSPC", "EIO"];
const MOST_ATTEMPTS = 120;
const LONGEST_RUN_MS = 20_000;

/** Runs the program once for each call and each fault. Returns all injected faults. */
export async function injectFaults(plan: FaultPlan): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const point of await listPoints(plan))
    for (const kind of plan.kinds ?? ALL_KINDS) faults.push(await injectOne(plan, point, kind));
  return faults;
}

async function listPoints(plan: FaultPlan): Promise<Point[]> {
  await plan.reset();
  const { exitCode, stderr, calls } = await runTraced(plan, [`trace=${plan.syscalls.map(optional).join()}`]);
  if (exitCode !== 0) throw new Error(`the program fails without any fault: ${stderr}`);
  return findPoints(plan, calls);
}

function concerns({ pathPrefix }: FaultPlan, call: string): boolean {
  return [pathPrefix].flat().some((prefix) => call.includes(prefix));
}

function optional(syscall: string): string {
  return `?${syscall}`;
}

function findPoints(plan: FaultPlan, calls: readonly string[]): Point[] {
  const points: Point[] = [];
  const counts = new Map<string, number>();
  const countUp = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1).get(what)!;
  for (const call of calls) {
    const syscall = call.slice(0, call.indexOf("("));
    const nth = countUp(syscall);
    if (concerns(plan, call)) points.push({ syscall, nth, order: countUp(`${syscall} of interest`), call });
  }
  return points;
}

async function injectOne(plan: FaultPlan, point: Point, kind: FaultKind): Promise<Fault> {
  const { exitCode, stdout } = await runUntilHit(plan, point, kind);
  const fault: Fault = { kind, call: point.call, exitCode, stdout };
  try {
    await plan.check(fault);
  } catch (error) {
    throw new Error(`${kind} at ${point.call}: ${error}`, { cause: error });
  }
  return fault;
}

// The runtime's own calls vary between runs, so a fault sometimes hits one of them instead. Then the next try uses the
// position of the call in that run; after a kill, which hides the position, it tries positions around.
async function runUntilHit(plan: FaultPlan, point: Point, kind: FaultKind): Promise<TracedRun> {
  const { syscall, order, call } = point;
  const effect = kind === "SIGKILL" ? "signal=KILL" : `error=${kind}`;
  const mark = kind === "SIGKILL" ? "= ?" : "(INJECTED)";
  let { nth } = point;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    await plan.reset();
    const run = await runTraced(plan, [`trace=${syscall}`, `inject=${syscall}:${effect}:when=${nth}`]);
    const found = findPoints(plan, run.calls).find((other) => other.order === order);
    if (found?.call.endsWith(mark)) return run;
    nth = found?.nth ?? Math.max(1, point.nth + beside(attempt % 17));
  }
  throw new Error(`${kind} at ${call}: not hit in ${MOST_ATTEMPTS} runs`);
}

/** 0, 1, -1, 2, -2 and so on. */
function beside(step: number): number {
  return step % 2 === 0 ? -step / 2 : (step + 1) / 2;
}

interface TracedRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly string[];
}

async function runTraced(plan: FaultPlan, expressions: readonly string[]): Promise<TracedRun> {
  const dir = mkdtempSync(join(tmpdir(), "hotcell-inject-"));
  const trace = join(dir, "trace");
  writeFileSync(trace, "");
  try {
    const selected = expressions.flatMap((expression) => ["-e", expression]);
    const output = await runStrace(["-y", "-o", trace, ...selected], plan);
    const lines = readFileSync(trace, "latin1").split("\n");
    const exited = lines.map((line) => /^\+\+\+ exited with (\d+)/.exec(line)?.[1]).find(Boolean);
    const exitCode = exited === undefined ? null : Number(exited);
    return { ...output, exitCode, calls: lines.filter((line) => /^\w+\(/.test(line)) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const GATE = join(import.meta.dirname, "../children/gate.mjs");
/** The tracer of a process may have to be its parent. */
const START = 'set -f; "$@" & exec 3<&- 4>&-; read -r options && exec strace $options -p $!';

function runStrace(
  options: readonly string[],
  { argv: [node, ...program], env = process.env }: FaultPlan,
): Promise<Pick<TracedRun, "stdout" | "stderr">> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", START, "sh", node!, GATE, ...program], {
      env,
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
      detached: true,
    });
    const [sh, stdout, stderr, gate, ready] = child.stdio as ChildPipes;
    // A fault in the runtime's own pipes may block the program for ever. It does not count as a hit.
    const tooLong = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), LONGEST_RUN_MS);
    const output = { stdout: "", stderr: "" };
    stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
      if (!gate.writableEnded && output.stderr.includes(" attached\n")) gate.end(".");
    });
    ready.once("data", () => sh.write(`${options.join(" ")}\n`));
    ready.once("end", () => sh.end());
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(tooLong);
      resolve(output);
    });
  });
}

type ChildPipes = readonly [
  sh: Writable,
  stdout: Readable,
  stderr: Readable,
  gate: Writable,
  ready: Readable,
];

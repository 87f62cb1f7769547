// Many calls of wasm tools at once, good and bad ones, and what is left of them afterwards.
import fs from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { openTempCell } from "../worlds/temp-cell.ts";
import { command, makeToolFolder } from "../worlds/wasm-tool-folder.ts";

const PROCESSES = 2;
const MiB = 1024 * 1024;
/** Pipes for the next sandboxes are made 64 at a time. */
const SPARE_DESCRIPTORS = 64;

export interface Left {
  readonly descriptors: number;
  /** Processes below this one: two for each sandbox. */
  readonly processes: number;
  /** Of this process, after a collection. */
  readonly heapMiB: number;
  /** Of the processes below this one. */
  readonly guestMiB: number;
}

/** Opens a file and leaves it open: `{}`, a trap, or the end of its fuel, by its input. */
const LEAVES_OPEN = command(
  `(drop (call $open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 5) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 20)))
   (i32.store (i32.const 8) (i32.const 2048)) (i32.store (i32.const 12) (i32.const 1000))
   (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 24)))
   (if (i32.eq (i32.load8_u (i32.const 2053)) (i32.const 49)) (then unreachable))
   (if (i32.eq (i32.load8_u (i32.const 2053)) (i32.const 50)) (then (loop $l (br $l))))`,
  "a.txt",
);
const ASKS =
  'export default ({ n }, host) => ({ n, text: host.call("workspace.read", { path: "a.txt" }).content })';

/** What there is after the first rounds, and after all of them. */
export async function callMany(calls: number, atOnce: number): Promise<Measured> {
  const start = measure();
  const read = { capabilities: { filesystem: "read" }, limits: { fuel: 10_000_000 } };
  const dirs = [
    await makeToolFolder({ js: ASKS }, { ...read, name: "asks" }),
    await makeToolFolder({ wat: LEAVES_OPEN }, { ...read, name: "leaves_open" }),
  ];
  const tools = dirs.map((path) => wasmTool({ path, grant: { filesystem: "read" } }));
  const options = { tools, guestProcesses: PROCESSES, trust: "autonomous" } as const;
  const { cell } = await openTempCell(options, { "a.txt": "hello" });
  const callOne = async (n: number) => {
    if (n % 2 === 0) {
      const { output } = await cell.call({ name: "asks", arguments: { n } });
      return output?.n === n && output.text === "hello";
    }
    const kind = Math.floor(n / 2) % 10;
    const { error } = await cell.call({ name: "leaves_open", arguments: { n: kind } });
    return (
      (error?.code ?? "") ===
      (new Map([
        [1, "TRAP"],
        [2, "FUEL_EXHAUSTED"],
      ]).get(kind) ?? "")
    );
  };
  const round = async (from: number) => {
    const numbers = Array.from({ length: atOnce }, (_, index) => from + index);
    return (await Promise.all(numbers.map(callOne))).filter((isRight) => !isRight).length;
  };
  let wrong = 0;
  const warmUp = atOnce * 4;
  for (let done = 0; done < warmUp; done += atOnce) wrong += await round(done);
  const before = measure();
  for (let done = warmUp; done < calls; done += atOnce) wrong += await round(done);
  const after = measure();
  expect(wrong).toBe(0);
  await cell.close();
  return { start, before, after, closed: measure() };
}

export interface Measured {
  /** Before the cell was opened, and after it was closed. */
  readonly start: Left;
  readonly closed: Left;
  /** After the first rounds, and after all. */
  readonly before: Left;
  readonly after: Left;
}

export function expectNothingLeft({ start, before, after, closed }: Measured): void {
  expect(closed.processes).toBe(start.processes);
  expect(closed.descriptors).toBeLessThanOrEqual(start.descriptors);
  expect(after.processes).toBe(before.processes);
  expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(SPARE_DESCRIPTORS);
  // V8's own caches grow at first; a leak of 1 KiB in each of 10,000 calls would be 10 MiB.
  expect(after.heapMiB - before.heapMiB).toBeLessThan(8);
  // On a busy machine V8 collects late: 73 MiB more were seen. A leak of one page of wasm memory in each of 10,000 calls
  // would be 600 MiB.
  expect(after.guestMiB - before.guestMiB).toBeLessThan(PROCESSES * 64);
}

function measure(): Left {
  collect();
  const pids = descendants(process.pid);
  return {
    descriptors: fs.readdirSync("/proc/self/fd").length,
    processes: pids.length,
    heapMiB: Math.round(process.memoryUsage().heapUsed / MiB),
    guestMiB: Math.round(pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / MiB),
  };
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): number[] {
  try {
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    const lists = tasks.map((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"));
    return lists.join(" ").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}

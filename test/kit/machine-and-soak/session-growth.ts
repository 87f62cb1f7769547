// Checks that CPU and memory of a session are proportional to the number of entries, also for very deep trees.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect } from "vitest";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { tempDir } from "../worlds/temp-cell.ts";

interface Cost {
  readonly step: string;
  readonly cpuMs: number;
  readonly bytes: number;
}

const CHILD = path.join(import.meta.dirname, "../children/session-growth-child.mjs");
const TIMES = 10;
/** With proportional cost, ten times the entries cost ten times as much; with quadratic cost, a hundred times. */
const MAX_GROWTH = 3 * TIMES;
/** Below these figures, the fixed cost of the process dominates. */
const LEAST = { cpuMs: 20, bytes: 4 * 2 ** 20 };

function costsOf(dir: string, strategy: Strategy, shape: string, count: number): Cost[] {
  // The plan of a million changes needs 3 GB, more than Node's default on a small machine.
  const args = [
    "--expose-gc",
    "--max-old-space-size=5000",
    CHILD,
    tempDir(dir),
    strategy,
    shape,
    String(count),
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the child failed: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Cost);
}

/** A step may use memory that an earlier one has freed. So only the largest of all steps says what the process needs. */
const peakOf = (costs: readonly Cost[]) => Math.max(LEAST.bytes, ...costs.map(({ bytes }) => bytes));

export function checkGrowth(strategy: Strategy, shape: string, count: number, dir = MEMORY_DIR): void {
  const few = costsOf(dir, strategy, shape, count / TIMES);
  const many = costsOf(dir, strategy, shape, count);
  const growth = many.map(({ step, cpuMs }, index) => ({
    step,
    cpu: cpuMs / Math.max(few[index]!.cpuMs, LEAST.cpuMs),
  }));
  expect(growth.filter(({ cpu }) => cpu > MAX_GROWTH)).toEqual([]);
  expect(peakOf(many) / peakOf(few)).toBeLessThan(MAX_GROWTH);
}

// Checks for the state after a commit, a recovery or a revert was killed.
import { expect } from "vitest";
import { readJournal } from "../../../src/workspace/commit/journal.ts";
import type { Recovery } from "../../../src/workspace/commit/recover.ts";
import type { Action, Scene } from "../children/commit-child.ts";
import type { Tree } from "../worlds/commit-world.ts";

/** Every file is complete, old or new. During its replacement it may be missing. */
export function checkWhole({ world, before, after }: Scene): void {
  const isWhole = (at: string, found: string) =>
    at.startsWith(".hotcell-tmp-") ||
    found.startsWith("directory") ||
    [before[at], after[at]].includes(found);
  expect(Object.entries(world.tree("project")).filter(([at, found]) => !isWhole(at, found))).toEqual([]);
}

/** The project is exactly one of the two states, nothing is left to recover, and the commit can be reverted. */
export async function checkRecovered({ world, before, after }: Scene, recovered: Recovery): Promise<void> {
  const isOld = recovered === "rolled back" || !isSame(world.tree("project"), after);
  expect(world.tree("project")).toEqual(isOld ? before : after);
  if (recovered === "finished") expect(isOld).toBe(false);
  expect(await world.recover()).toBe("none");
  if (isOld) return;
  expect((await world.revert()).changed).toEqual([]);
  expect(world.tree("project")).toEqual(before);
}

const isSame = (a: Tree, b: Tree): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Kills the action at this step, starting from the saved state, and recovers. */
export async function killAndRecover(scene: Scene, action: Action, killAt: number): Promise<Recovery> {
  scene.reset();
  expect(scene.run(action, killAt).killed).toBe(true);
  checkWhole(scene);
  return scene.recover();
}

/** The number of steps of the action from the saved state. */
export function stepsOf(scene: Scene, action: Action): number {
  scene.reset();
  const { steps, result, error } = scene.run(action);
  expect(error).toBeUndefined();
  expect(result).not.toBe("none");
  return steps;
}

/** 1, 1 + stride, … */
export function upTo(count: number, stride = 1): number[] {
  return Array.from({ length: Math.ceil(count / stride) }, (_, index) => index * stride + 1);
}

/** The step of a commit from which on a recovery finishes it. */
export async function findCommitPoint({ world, reset }: Scene): Promise<number> {
  let point = 0;
  reset();
  const isPast = () => readJournal(world.txDir)?.phase === "applying";
  const onStep = (n: number) => {
    if (point === 0 && isPast()) point = n;
  };
  await world.apply(world.plan(), { onStep });
  return point;
}

/** Kills a commit at many different times. Returns how often recovery had each result. */
export async function killAtMoments(
  scene: Scene,
  moments: number,
  times: number,
): Promise<Record<Recovery, number>> {
  const found = { none: 0, "rolled back": 0, finished: 0 };
  const start = performance.now();
  scene.runFor("commit", 60_000);
  const wholeMs = performance.now() - start;
  const isMissed = () => found["rolled back"] + found.finished === 0;
  const rounds = moments * times;
  // On a busy machine all of the first kills may be too early or too late.
  for (let round = 0; round < rounds || (isMissed() && round < 5 * rounds); round++) {
    scene.reset();
    // Earlier kills hit the start of Node, not the program.
    scene.runFor("commit", Math.ceil(wholeMs * (0.2 + (0.8 * (round % moments)) / moments)));
    checkWhole(scene);
    const recovered = await scene.recover();
    await checkRecovered(scene, recovered);
    found[recovered]++;
  }
  return found;
}

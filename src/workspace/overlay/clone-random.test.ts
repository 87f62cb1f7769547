// Random histories of a session: whatever was captured can be shown again, in any order and after any restart.
import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { type CloneWorld, laidOver, makeCloneWorld, stackOf } from "../../../test/kit/worlds/clone-world.ts";
import {
  bruteForce,
  directory,
  file,
  type Planted,
  survey,
  symlink,
} from "../../../test/kit/worlds/planted-tree.ts";
import { osPath } from "../fs/names.ts";
import type { Stack } from "../layers/record.ts";

/** Few, so that what is done meets what was done before. */
const PATHS = ["a", "a/a", "a/a/a", "a/\uDCFF", "\uDCFF", "\uDCFF/a"];
const somePath = fc.constantFrom(...PATHS);

type Action =
  | {
      readonly does: "write" | "mkdir" | "remove" | "link" | "chmod";
      readonly at: string;
      readonly value: number;
    }
  | { readonly does: "rename"; readonly at: string; readonly to: string };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    does: fc.constantFrom("write", "write", "write", "mkdir", "remove", "remove", "link", "chmod"),
    at: somePath,
    value: fc.nat(5),
  }),
  fc.record({ does: fc.constant("rename" as const), at: somePath, to: somePath }),
);

/** What can't be done is not done. */
function act(root: string, action: Action): void {
  const at = osPath(`${root}/${action.at}`);
  try {
    if (action.does === "rename") fs.renameSync(at, osPath(`${root}/${action.to}`));
    if (action.does === "write") fs.writeFileSync(at, `${action.value}`);
    if (action.does === "mkdir") fs.mkdirSync(at, { recursive: true, mode: 0o750 });
    if (action.does === "remove") fs.rmSync(at, { recursive: true });
    if (action.does === "link") fs.symlinkSync(`to ${action.value}`, at);
    if (action.does === "chmod" && !fs.lstatSync(at).isSymbolicLink()) fs.chmodSync(at, 0o700 + action.value);
  } catch {}
}

const PROJECT = new Map<string, Planted>([
  ["a/a/a", file("1", 0o755)],
  ["a/a/b", directory(0o700)],
  ["a/\uDCFF", symlink("a")],
  ["\uDCFF/a", file("2")],
]);

const actions = fc.array(action, { minLength: 1, maxLength: 4 });
const plainStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ step: fc.constant("change" as const), actions }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("capture" as const) }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("checkpoint" as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("rewind" as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constantFrom("restart" as const, "rebuild" as const) }) },
);
/** Somebody changes the project. */
const edit = fc.record({ step: fc.constant("edit" as const), actions });
const anyStep = fc.oneof(plainStep, plainStep, edit);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

interface State {
  readonly stack: Stack;
  readonly tree: Map<string, Planted>;
}

/** Runs the steps. After each capture, the copy must equal the project with the layers. Returns the states at the checkpoints, and the last one. */
async function play(world: CloneWorld, steps: readonly Step[]): Promise<State[]> {
  const states: State[] = [];
  let next = 1;
  let stack = stackOf(next++);
  let view = await world.open(stack);
  const push = async (below: Stack) => {
    stack = [...below, ...stackOf(next++)];
    await view.show(stack);
  };
  for (const taken of steps) {
    if (taken.step === "change") {
      for (const one of taken.actions) act(world.merged, one);
      continue;
    }
    if (taken.step === "edit") {
      for (const one of taken.actions) act(world.project, one);
      await view.refresh();
    }
    await view.capture();
    if (taken.step === "checkpoint") {
      states.push({ stack, tree: world.tree() });
      await push(stack);
    }
    if (taken.step === "rewind" && states.length > 0) await push(states[taken.to % states.length]!.stack);
    if (taken.step === "restart" || taken.step === "rebuild") {
      view.close();
      if (taken.step === "rebuild") fs.writeFileSync(`${world.dir}/showing`, "");
      view = await world.open(stack);
    }
    expect(world.tree()).toEqual(laidOver(world, stack));
  }
  await view.capture();
  view.close();
  return [...states, { stack, tree: world.tree() }];
}

function isBelow(below: Stack, stack: Stack): boolean {
  return stack.length === below.length + 1 && below.every(({ name }, index) => name === stack[index]!.name);
}

async function checkPlays(
  step: fc.Arbitrary<Step>,
  check: (world: CloneWorld, states: readonly State[]) => Promise<void>,
): Promise<void> {
  const steps = fc.array(step, { minLength: 3, maxLength: 16 });
  const property = fc.asyncProperty(steps, async (taken) => {
    const world = makeCloneWorld(PROJECT);
    try {
      await check(world, await play(world, taken));
    } finally {
      world.remove();
    }
  });
  await assertProperty(property, { numRuns: 40 });
}

test("every earlier state is shown again exactly, and the changes of each layer are known", async () => {
  await checkPlays(plainStep, async (world, states) => {
    const last = states.at(-1)!;
    const all = { below: null, upTo: last.stack.length };
    expect(await world.changes(last.stack, all)).toEqual(bruteForce(survey(world.project), last.tree));
    const view = await world.open(last.stack);
    for (const { stack, tree } of states) {
      await view.show([...stack, ...stackOf(1000)]);
      expect(world.tree()).toEqual(tree);
    }
    view.close();
    for (const { stack, tree } of states) {
      const below = states.find((state) => isBelow(state.stack, stack));
      if (below === undefined) continue;
      const span = { below: below.stack.length, upTo: stack.length };
      expect(await world.changes(stack, span)).toEqual(bruteForce(below.tree, tree));
    }
  });
});

test("what is edited in the project is taken in wherever no layer has anything", async () => {
  await checkPlays(anyStep, async () => {});
});

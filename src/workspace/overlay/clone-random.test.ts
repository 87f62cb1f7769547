// Random histories of a session: whatever was captured can be shown again, in any order and after any restart.
import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CloneWorld, laidOver, makeCloneWorld, stackOf } from "../../../test/kit/clone-world.ts";
import {
  bruteForce,
  directory,
  file,
  type Planted,
  survey,
  symlink,
} from "../../../test/kit/planted-tree.ts";
import { osPath } from "../names.ts";
import type { Stack } from "../session/record.ts";
import type { SessionView } from "../session/session-view.ts";

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

async function withWorld(work: (world: CloneWorld) => Promise<void>): Promise<void> {
  const world = makeCloneWorld(PROJECT);
  try {
    await work(world);
  } finally {
    world.remove();
  }
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant("change" as const),
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("capture" as const) }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("checkpoint" as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("rewind" as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constantFrom("restart" as const, "rebuild" as const) }) },
);

test("every state that was captured is shown again exactly, and what each layer changed is told", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), (steps) =>
      withWorld(async (world) => {
        /** States with the stack that has them, newest last. */
        const states: { stack: Stack; tree: Map<string, Planted> }[] = [];
        let next = 1;
        let stack = stackOf(next++);
        let view: SessionView = await world.open(stack);
        const push = async (below: Stack) => {
          stack = [...below, ...stackOf(next++)];
          await view.show(stack);
        };
        for (const taken of steps) {
          if (taken.step === "change") for (const one of taken.actions) act(world.merged, one);
          if (taken.step === "capture") await view.capture();
          if (taken.step === "checkpoint") {
            await view.capture();
            states.push({ stack, tree: world.tree() });
            await push(stack);
          }
          if (taken.step === "rewind" && states.length > 0) {
            const state = states[taken.to % states.length]!;
            await view.capture();
            await push(state.stack);
            expect(world.tree()).toEqual(state.tree);
          }
          if (taken.step === "restart" || taken.step === "rebuild") {
            await view.capture();
            const before = world.tree();
            view.close();
            if (taken.step === "rebuild") fs.writeFileSync(`${world.dir}/showing`, "");
            view = await world.open(stack);
            expect(world.tree()).toEqual(before);
          }
        }
        await view.capture();
        view.close();
        const now = world.tree();
        expect(await world.changes(stack, { below: null, upTo: stack.length })).toEqual(
          bruteForce(survey(world.project), now),
        );
        for (const [index, state] of states.entries()) {
          const below = states
            .slice(0, index)
            .findLast(
              (other) =>
                state.stack.length === other.stack.length + 1 &&
                other.stack.every((layer, at) => layer.name === state.stack[at]!.name),
            );
          if (below === undefined) continue;
          expect(
            await world.changes(state.stack, { below: below.stack.length, upTo: state.stack.length }),
          ).toEqual(bruteForce(below.tree, state.tree));
        }
      }),
    ),
    { numRuns: Number(process.env.RUNS ?? 60), endOnFailure: false },
  );
}, 600_000);

const edit = fc.record({
  step: fc.constant("edit" as const),
  actions: fc.array(action, { minLength: 1, maxLength: 4 }),
});

test("what is edited in the project is taken in wherever no layer has anything", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(step, step, edit), { minLength: 3, maxLength: 16 }), (steps) =>
      withWorld(async (world) => {
        const stacks: Stack[] = [];
        let next = 1;
        let stack = stackOf(next++);
        let view: SessionView = await world.open(stack);
        const push = async (below: Stack) => {
          stacks.push(stack);
          stack = [...below, ...stackOf(next++)];
          await view.show(stack);
        };
        for (const taken of steps) {
          if (taken.step === "edit") for (const one of taken.actions) act(world.project, one);
          if (taken.step === "edit") await view.refresh();
          if (taken.step === "change") {
            for (const one of taken.actions) act(world.merged, one);
            continue;
          }
          await view.capture();
          if (taken.step === "checkpoint") await push(stack);
          if (taken.step === "rewind" && stacks.length > 0) await push(stacks[taken.to % stacks.length]!);
          if (taken.step === "restart") {
            view.close();
            view = await world.open(stack);
          }
          expect(world.tree()).toEqual(laidOver(world, stack));
        }
        view.close();
      }),
    ),
    { numRuns: Number(process.env.RUNS ?? 60), endOnFailure: false },
  );
}, 600_000);

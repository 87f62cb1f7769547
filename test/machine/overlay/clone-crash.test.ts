// Real kills at every change of a file while a working copy is made, captured, shown and refreshed: the next
// process finds the session as it was, and can go on with it.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Stack } from "../../../src/workspace/layers/record.ts";
import { injectFaults } from "../../kit/native/inject.ts";
import { type CloneWorld, laidOver, makeCloneWorld, stackOf } from "../../kit/worlds/clone-world.ts";
import { file, type Planted, symlink } from "../../kit/worlds/planted-tree.ts";

const PROJECT = new Map([
  ["a", file("a\n")],
  ["d/x", file("x\n")],
  ["link", symlink("a")],
]);
const CHANGES = ["mkdir", "rename", "unlink", "rmdir", "symlink", "write", "copy_file_range"];

/** A layer that changes, removes and adds. */
async function changeOnce({ open, merged }: CloneWorld): Promise<void> {
  const view = await open(stackOf(1));
  fs.writeFileSync(path.join(merged, "a"), "1\n");
  fs.rmSync(path.join(merged, "d"), { recursive: true });
  fs.mkdirSync(path.join(merged, "new"));
  fs.writeFileSync(path.join(merged, "new/y"), "y\n");
  await view.capture();
  view.close();
}

interface Row {
  readonly what: string;
  readonly stack: Stack;
  /** A stack to show, or what to call. */
  readonly next: Stack | "capture" | "refresh";
  before(world: CloneWorld): Promise<void>;
}

const ROWS: readonly Row[] = [
  {
    what: "the first copy",
    stack: stackOf(1),
    next: "refresh",
    before: async ({ dir }) => fs.mkdirSync(path.join(dir, "1")),
  },
  {
    what: "a capture",
    stack: stackOf(1, 2),
    next: "capture",
    async before(world) {
      await changeOnce(world);
      fs.mkdirSync(path.join(world.merged, "d"));
      fs.writeFileSync(path.join(world.merged, "a"), "2\n");
      fs.rmSync(path.join(world.merged, "new"), { recursive: true });
    },
  },
  { what: "a rewind", stack: stackOf(1), next: stackOf(3), before: changeOnce },
  {
    what: "a refresh",
    stack: stackOf(1),
    next: "refresh",
    async before(world) {
      await changeOnce(world);
      fs.rmSync(path.join(world.project, "link"));
      fs.mkdirSync(path.join(world.project, "link"));
      fs.writeFileSync(path.join(world.project, "a"), "theirs\n");
    },
  },
];

/** What must be the same after a kill as before. */
interface Kept {
  readonly tree: Map<string, Planted>;
  readonly layer: Map<string, Planted>;
}

test.each(ROWS)("SIGKILL at any step of $what costs nothing", async ({ stack, next, before }) => {
  const world = makeCloneWorld(PROJECT);
  onTestFinished(() => world.remove());
  let kept: Partial<Kept> = {};
  const faults = await injectFaults({
    argv: [
      process.execPath,
      path.join(import.meta.dirname, "../../kit/children/clone-child.mjs"),
      ...[world.stateDir, world.project, JSON.stringify(stack)],
      typeof next === "string" ? next : JSON.stringify(next),
    ],
    syscalls: CHANGES,
    pathPrefix: [world.dir, "/proc/self/fd/"],
    kinds: ["SIGKILL"],
    async reset() {
      world.renew();
      await before(world);
      kept = next === "capture" ? { tree: world.tree() } : { layer: world.layer(1) };
    },
    check: () => checkWorld(world, stack, kept),
  });
  expect(faults.length).toBeGreaterThan(6);
});

/** The record names the old stack: it is written when the new one is shown. */
async function checkWorld(world: CloneWorld, stack: Stack, { tree, layer }: Partial<Kept>): Promise<void> {
  const view = await world.open(stack);
  try {
    if (tree !== undefined) expect(world.tree()).toEqual(tree);
    await view.refresh();
    await view.capture();
    if (layer !== undefined) expect(world.layer(1)).toEqual(layer);
    expect(world.tree()).toEqual(laidOver(world, stack));
    await view.show(stackOf(9));
    expect(world.tree()).toEqual(laidOver(world, []));
  } finally {
    view.close();
  }
}

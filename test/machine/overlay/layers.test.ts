// A stack that has become tall, and what stands for its lower layers: both must show the same.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCursor } from "../../../src/workspace/fs/cursor.ts";
import { makeDirectory } from "../../../src/workspace/fs/tree-change.ts";
import { compactIfTall, findCompacted } from "../../../src/workspace/layers/compact.ts";
import { type SessionRecord, type Stack, sessionDir } from "../../../src/workspace/layers/record.ts";
import { makeSession, removeDirectory } from "../../../src/workspace/layers/session-dirs.ts";
import { checkpointRecord, forkRecord, newRecord } from "../../../src/workspace/layers/stack.ts";
import { openKernelView } from "../../../src/workspace/overlay/kernel-view.ts";
import type { SessionView } from "../../../src/workspace/overlay/session-view.ts";
import { repeatably, seedsTo } from "../../kit/assert-property.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { randomChanges } from "../../kit/models/random-changes.ts";
import { directory, file, plant } from "../../kit/worlds/planted-tree.ts";

const LIMIT = 40;

interface World {
  readonly top: string;
  readonly project: string;
  readonly stateDir: string;
  readonly dir: string;
  readonly record: SessionRecord;
}

function makeWorld(): World {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-layers-")));
  onTestFinished(() => removeDirectory(top));
  const [project, stateDir] = [`${top}/project`, `${top}/state`];
  const files = ["a", "b", "c"].flatMap((first) =>
    ["a", "b", "c"].flatMap((second) => ["x", "y", "é"].map((third) => `${first}/${second}/${third}`)),
  );
  plant(project, new Map(files.map((name) => [name, file(`the project's ${name}`)])));
  const record = newRecord("one", project, "kernel", 0);
  makeSession(record, stateDir);
  return { top, project, stateDir, dir: sessionDir(stateDir, record.id), record };
}

async function openView({ dir, record }: World): Promise<SessionView> {
  const view = await openKernelView(dir, record, () => null);
  onTestFinished(() => view.close());
  return view;
}

const pathOf = ({ root }: Pick<SessionView, "root">): string => `/proc/self/fd/${root.fd}`;

/** Everything that can be seen below a directory, one line for each path. */
function seenBelow(root: string, at = ""): string[] {
  return fs
    .readdirSync(`${root}/${at}`)
    .sort()
    .flatMap((name) => {
      const below = path.join(at, name);
      const stat = fs.lstatSync(`${root}/${below}`);
      const { mode, uid, gid, mtimeMs } = stat;
      const line = [
        below,
        mode.toString(8),
        uid,
        gid,
        Math.floor(mtimeMs / 1000),
        contentOf(`${root}/${below}`, stat),
      ].join(" ");
      return stat.isDirectory() ? [line, ...seenBelow(root, below)] : [line];
    });
}

function contentOf(at: string, stat: fs.Stats): string {
  if (stat.isSymbolicLink()) return fs.readlinkSync(at);
  return stat.isFile() ? fs.readFileSync(at, "utf8") : "";
}

/** What a stack shows on the project as it is now, below an empty layer. */
async function shown({ stateDir }: World, record: SessionRecord, stack: Stack): Promise<string[]> {
  const dir = sessionDir(stateDir, record.id);
  const empty = { session: record.id, name: "empty", call: null, since: 0 };
  const view = await openKernelView(dir, { ...record, stack: [...stack, empty] }, () => null);
  try {
    return seenBelow(pathOf(view));
  } finally {
    view.close();
    for (const name of ["empty", "wempty"]) removeDirectory(path.join(dir, name));
  }
}

const frozen = ({ stack }: SessionRecord): Stack => stack.slice(0, -1);
const oneByOne = (stack: Stack): Stack => stack.map(({ collapsed: _, ...layer }) => layer);

/** The changes of so many calls; `collapsed` runs at each checkpoint. */
async function work(world: World, calls: number, seed: number, limit: number): Promise<SessionRecord> {
  const view = await openView(world);
  const change = randomChanges(seed);
  let { record } = world;
  for (let call = 1; call <= calls; call++) {
    change(pathOf(view), 3);
    record = await compactIfTall(checkpointRecord(record, null, false, 0), world.stateDir, limit);
    await view.show(record.stack);
    const layers = frozen(record);
    expect(layers.length - Math.max(findCompacted(layers), 0)).toBeLessThanOrEqual(limit + 2);
  }
  return record;
}

/** The stack of a session in which each call wrote files, made without mounting anything. */
function stacked(
  world: World,
  start: SessionRecord,
  calls: number,
  files: (call: number) => Record<string, string>,
): SessionRecord {
  let record = start;
  for (let call = 1; call <= calls; call++) {
    const layer = path.join(world.dir, "..", record.id, record.stack.at(-1)!.name);
    plant(layer, new Map(Object.entries(files(call)).map(([name, content]) => [name, file(content)])));
    record = checkpointRecord(record, null, false, 0);
  }
  return record;
}

const marks = ({ stack }: SessionRecord) => stack.map(({ collapsed }) => collapsed);

test.each(seedsTo(3))(
  "what stands for layers shows what they show, also when the project changes (seed %i)",
  (seed) =>
    repeatably(seed, async () => {
      const world = makeWorld();
      const record = await work(world, 130, seed, LIMIT);
      const stack = frozen(record);
      expect(stack.filter(({ collapsed }) => collapsed !== undefined).length).toBe(3);
      expect(await shown(world, record, stack)).toEqual(await shown(world, record, oneByOne(stack)));
      randomChanges(seed + 1000)(world.project, 40);
      for (const height of [0, 1, 39, 40, 41, 79, 80, 81, 125, stack.length]) {
        const lower = stack.slice(0, height);
        expect(await shown(world, record, lower)).toEqual(await shown(world, record, oneByOne(lower)));
      }
    }),
);

test("a stack that is taller than the kernel takes can be mounted when it is collapsed", async () => {
  const world = makeWorld();
  const tall = stacked(world, world.record, 700, (call) => ({ same: `by ${call}`, [`only-${call}`]: "" }));
  await expect(shown(world, tall, tall.stack)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  const record = await compactIfTall(tall, world.stateDir);
  expect(marks(record).flatMap((name, index) => (name === undefined ? [] : [index]))).toEqual([
    99, 199, 299, 399, 499, 599,
  ]);
  const lines = await shown(world, record, frozen(record));
  const names = lines.map((line) => line.split(" ", 1)[0]!);
  expect(names.filter((name) => name.startsWith("only-")).length).toBe(700);
  expect(lines.find((line) => line.startsWith("same "))).toMatch(/ by 700$/);
});

test("a stack that is not tall, or that a copy shows, stays as it is", async () => {
  const world = makeWorld();
  const record = stacked(world, world.record, 5, () => ({ f: "" }));
  const copied = { ...record, strategy: "clone" } as const;
  expect(await compactIfTall(record, world.stateDir, 5)).toBe(record);
  expect(await compactIfTall(copied, world.stateDir, 2)).toBe(copied);
  expect(marks(await compactIfTall(record, world.stateDir, 4))).toEqual([
    undefined,
    undefined,
    undefined,
    "c-7",
    undefined,
    undefined,
  ]);
});

test("what stands for layers of another session is kept in one's own", async () => {
  const world = makeWorld();
  const parent = stacked(world, world.record, 5, (call) => ({ [`parent-${call}`]: "" }));
  const forkedAt = forkRecord(parent, frozen(parent), "two", 0);
  makeSession(forkedAt, world.stateDir);
  expect(await compactIfTall(forkedAt, world.stateDir, 2)).toBe(forkedAt);
  const child = stacked(world, forkedAt, 2, (call) => ({ [`child-${call}`]: "" }));
  const record = await compactIfTall(child, world.stateDir, 2);
  expect(marks(record).map((name) => name !== undefined)).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
  expect(await shown(world, record, frozen(record))).toEqual(
    await shown(world, record, oneByOne(frozen(record))),
  );
  expect(fs.readdirSync(world.dir).filter((name) => name.startsWith("c"))).toEqual([]);
});

test("files are shared with the layers, and two names of one file stay two names of one file", async () => {
  const world = makeWorld();
  const made = stacked(world, world.record, 5, (call) => ({ [`d/f${call}`]: `by ${call}` }));
  fs.linkSync(path.join(world.dir, "1/d/f1"), path.join(world.dir, "1/again"));
  const record = await compactIfTall(made, world.stateDir, 4);
  const united = path.join(world.dir, marks(record)[3]!);
  const inodes = [path.join(world.dir, "1/d/f1"), `${united}/d/f1`, `${united}/again`].map(
    (at) => fs.statSync(at).ino,
  );
  expect(new Set(inodes).size).toBe(1);
});

test("what a kill has left of the work is removed", async () => {
  const world = makeWorld();
  const made = stacked(world, world.record, 5, () => ({ f: "" }));
  for (const leftover of [`c-${made.next}.new`, `c-${made.next}`]) {
    plant(
      path.join(world.dir, leftover),
      new Map([
        ["d/f", file("")],
        ["d", directory(0)],
      ]),
    );
  }
  const record = await compactIfTall(made, world.stateDir, 4);
  expect(fs.readdirSync(world.dir).filter((name) => name.startsWith("c"))).toEqual([marks(record)[3]]);
  expect(await shown(world, record, frozen(record))).toEqual(
    await shown(world, record, oneByOne(frozen(record))),
  );
});

test("a tree deeper than any path is among what stands for layers", async () => {
  const world = makeWorld();
  const bottomOf = (root: string, makes: boolean): string[] => {
    const fd = fs.openSync(root, fs.constants.O_DIRECTORY);
    const cursor = createCursor(fd);
    for (let level = 0; level < 1000; level++) {
      if (makes) makeDirectory(cursor.fd, "deep", null);
      cursor.down("deep");
    }
    if (makes) fs.writeFileSync(`/proc/self/fd/${cursor.fd}/bottom`, "");
    const names = fs.readdirSync(`/proc/self/fd/${cursor.fd}`);
    cursor.close();
    fs.closeSync(fd);
    return names;
  };
  const made = stacked(world, world.record, 5, () => ({ f: "" }));
  bottomOf(path.join(world.dir, "2"), true);
  const record = await compactIfTall(made, world.stateDir, 4);
  expect(bottomOf(path.join(world.dir, marks(record)[3]!), false)).toEqual(["bottom"]);
});

test.runIf(!IS_ROOT)("layers that can't be read stay as they are", async () => {
  const world = makeWorld();
  const made = stacked(world, world.record, 5, () => ({ "d/f": "" }));
  fs.chmodSync(path.join(world.dir, "3/d"), 0);
  expect(await compactIfTall(made, world.stateDir, 4)).toBe(made);
});

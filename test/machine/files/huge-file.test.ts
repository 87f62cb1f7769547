// A sparse file of 1 GiB, as an agent makes one in an instant: whoever looks at all of it holds nobody else up,
// and can be called off. It needs `npm run build`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import { HotcellError } from "../../../src/core/errors.ts";
import { readRecord, type SessionRecord } from "../../../src/workspace/layers/record.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const MIB = 1024 ** 2;
const HUGE = 1024 * MIB;
/** Of what is looked at to its end. */
const LARGE = 256 * MIB;
const BIN = path.join(ROOT, "bin/hotcell.js");
const ENOUGH = new HotcellError("CANCELLED", "enough");

type Command = readonly [string, ...string[]];

interface World {
  readonly root: string;
  readonly stateDir: string;
  /** A cell with its own session, in which a command makes or changes a file. */
  openWith(command: Command): Promise<Cell>;
  /** What is in the project, with sizes. */
  files(): Record<string, number>;
  session(cell: Cell): SessionRecord;
}

function makeWorld(size = HUGE): World {
  const top = tempDir();
  const [root, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "there"), "");
  fs.truncateSync(path.join(root, "there"), size);
  return {
    root,
    stateDir,
    async openWith(command) {
      const cell = await openCell({ workspace: root, stateDir });
      onTestFinished(() => cell.close());
      expect(await cell.exec(command)).toMatchObject({ success: true });
      return cell;
    },
    files: () =>
      Object.fromEntries(fs.readdirSync(root).map((name) => [name, fs.statSync(path.join(root, name)).size])),
    session: ({ session }) => readRecord(path.join(stateDir, "sessions", session!)),
  };
}

const make = (size: number): Command => ["truncate", "-s", String(size), "made"];
/** The size tells nothing then: both sides have to be compared to their end. */
const CHANGE_MODE: Command = ["chmod", "755", "there"];

type Look = (cell: Cell, signal: AbortSignal) => Promise<unknown>;

test.each<[what: string, command: Command, look: Look]>([
  ["diff", CHANGE_MODE, (cell, signal) => cell.diff({ signal })],
  ["patch", CHANGE_MODE, (cell, signal) => cell.patch({ signal })],
  ["plan", make(HUGE), (cell, signal) => cell.plan({ signal })],
  ["commit", make(HUGE), (cell, signal) => cell.commit({ signal })],
])(
  "during a %s of a huge file others have their turn, and it can be called off",
  async (_, command, look) => {
    const { files, session, openWith } = makeWorld();
    const cell = await openWith(command);
    const other = await openCell({ workspace: tempDir(), stateDir: tempDir() });
    onTestFinished(() => other.close());
    const before = [files(), session(cell)];
    const controller = new AbortController();
    let hasEnded = false;
    const looking = look(cell, controller.signal).finally(() => {
      hasEnded = true;
    });
    await other.call({ name: "write_file", arguments: { path: "f", content: "f" } });
    expect(hasEnded).toBe(false);
    controller.abort(ENOUGH);
    await expect(looking).rejects.toBe(ENOUGH);
    expect([files(), session(cell)]).toEqual(before);
  },
);

test("a commit that is called off while it stages leaves nothing behind, and can be done again", async () => {
  const { root, files, openWith } = makeWorld(LARGE);
  const cell = await openWith(make(LARGE));
  const before = files();
  const controller = new AbortController();
  const staged: number[] = [];
  const namesOf = (name: string) => fs.readdirSync(path.join(root, name)).map((made) => made.indexOf("new"));
  const committing = cell.commit({ signal: controller.signal });
  while (!staged.includes(0)) {
    await setImmediate();
    staged.push(
      ...fs
        .readdirSync(root)
        .filter((name) => name !== "there")
        .flatMap(namesOf),
    );
  }
  controller.abort(ENOUGH);
  const message = "enough Nothing was written.";
  await expect(committing).rejects.toMatchObject({ message });
  expect(staged).toContain(0);
  expect(files()).toEqual(before);
  expect(await cell.commit()).toMatchObject({ committed: ["made"], conflicts: [] });
  expect(files()).toEqual({ there: LARGE, made: LARGE });
  expect(fs.statSync(path.join(root, "made")).blocks * 512).toBeLessThan(MIB);
});

test("a commit that was called off is none: what is reverted is the one before it", async () => {
  const { files, openWith } = makeWorld(0);
  const cell = await openWith(["touch", "first"]);
  await cell.commit();
  await cell.exec(["touch", "second"]);
  const controller = new AbortController();
  const onProgress = () => controller.abort(ENOUGH);
  await expect(cell.commit({ onProgress, signal: controller.signal })).rejects.toThrow("enough");
  expect(await cell.revert()).toMatchObject({ reverted: ["first"] });
  expect(files()).toEqual({ there: 0 });
});

test("a cell that is closed calls a diff off, and waits until it has ended", async () => {
  const cell = await makeWorld().openWith(CHANGE_MODE);
  let hasEnded = false;
  const looking = cell.diff().finally(() => {
    hasEnded = true;
  });
  await Promise.all([expect(looking).rejects.toMatchObject({ name: "AbortError" }), cell.close()]);
  expect(hasEnded).toBe(true);
});

test("a commit that is called off after its point of no return is finished", async () => {
  const { files, openWith } = makeWorld(0);
  const cell = await openWith(["touch", "a", "b"]);
  const controller = new AbortController();
  const onProgress = (done: number) => void (done === 3 && controller.abort(ENOUGH));
  expect(await cell.commit({ onProgress, signal: controller.signal })).toMatchObject({
    committed: ["a", "b"],
  });
  expect(files()).toEqual({ there: 0, a: 0, b: 0 });
});

/** How much this process has read. */
const readBytes = () => Number(/rchar: (\d+)/.exec(fs.readFileSync("/proc/self/io", "utf8"))![1]);

/** When it has begun to look at what a command has replaced. */
async function untilLooking(): Promise<void> {
  const before = readBytes();
  while (readBytes() < before + 100 * MIB) await setImmediate();
}

/** As much as nobody ever reads. */
const ENDLESS = 1024 ** 4;
const CUT: Command = ["sh", "-c", ": >there"];
const HAS_CUT = { success: true, meta: { changes: { count: 1, paths: ["there"] } } };

test("a call that has cut a huge file and is called off then has done it, and ends", async () => {
  const cell = await makeWorld(ENDLESS).openWith(["true"]);
  const controller = new AbortController();
  const cutting = cell.exec(CUT, { signal: controller.signal });
  await untilLooking();
  controller.abort(ENOUGH);
  expect(await cutting).toMatchObject(HAS_CUT);
  // What comes next looks at it again, and is called off like it.
  const [plan, rewind] = [cell.plan(), cell.rewind("#1")].map((work) => work.catch(({ name }) => name));
  await untilLooking();
  await cell.close();
  expect([await plan, await rewind]).toEqual(["AbortError", "AbortError"]);
});

test("a cell that is closed when a huge file was cut does not look at all of it", async () => {
  const cell = await makeWorld(ENDLESS).openWith(["true"]);
  const cutting = cell.exec(CUT);
  await untilLooking();
  await cell.close();
  expect(await cutting).toMatchObject(HAS_CUT);
});

test("a huge file is put back without being read", async () => {
  const { root, openWith } = makeWorld(ENDLESS);
  fs.mkdirSync(path.join(root, "d"));
  fs.renameSync(path.join(root, "there"), path.join(root, "d/there"));
  const cell = await openWith(["rm", "-r", "d"]);
  await cell.discard({ paths: ["d/there"] });
  expect((await cell.diff()).changes).toEqual([]);
});

test("the next call reads a huge file whose scan was cancelled", async () => {
  const { files, openWith } = makeWorld(2 * HUGE);
  const cell = await openWith(["true"]);
  const controller = new AbortController();
  const cutting = cell.exec(CUT, { signal: controller.signal });
  await untilLooking();
  controller.abort(ENOUGH);
  await cutting;
  expect(await cell.exec(["touch", "made"])).toMatchObject({ success: true });
  expect(await cell.commit()).toMatchObject({ committed: ["made", "there"], conflicts: [] });
  expect(files()).toEqual({ there: 0, made: 0 });
});

const optionsFor = ({ root, stateDir }: World) =>
  ({ cwd: root, env: { PATH: process.env.PATH, HOTCELL_STATE_DIR: stateDir } }) as const;

/** Presses Ctrl-C when the command has come far enough. */
async function interrupt(world: World, args: readonly string[], isFar: (pid: number) => boolean) {
  const child = spawn(process.execPath, [BIN, "session", ...args], optionsFor(world));
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  while (!isFar(child.pid!)) await setImmediate();
  child.kill("SIGINT");
  const [status] = await once(child, "close");
  return { status, said };
}

/** As much as is read of nothing but the huge file. */
const hasReadMuch = (pid: number) =>
  Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))![1]) > 100 * MIB;

test("Ctrl-C ends a diff of a huge file, and says so", async () => {
  const world = makeWorld();
  const cell = await world.openWith(CHANGE_MODE);
  await cell.close();
  // By its id: to find the last session with changes, hotcell looks for changes first, and Ctrl-C just ends it there.
  expect(await interrupt(world, ["diff", cell.session!], hasReadMuch)).toEqual({
    status: 1,
    said: "hotcell: Could not show the diff: it was interrupted.\n",
  });
});

test.each<[when: string, isFar: (world: World) => (pid: number) => boolean, said: string]>([
  ["is planned", () => hasReadMuch, ""],
  [
    "is staged",
    ({ root }) =>
      () =>
        fs.readdirSync(root).length > 1,
    " Nothing was written.",
  ],
])("Ctrl-C while a commit %s ends it, and nothing is lost", async (_when, isFar, state) => {
  const world = makeWorld(0);
  const cell = await world.openWith(["sh", "-c", `${make(HUGE).join(" ")}; echo small >small`]);
  await cell.close();
  expect(await interrupt(world, ["commit", "last", "--yes"], isFar(world))).toEqual({
    status: 1,
    said: `hotcell: Could not commit: it was interrupted.${state}\n`,
  });
  expect(world.files()).toEqual({ there: 0 });
  const hotcell = (...args: string[]) =>
    spawnSync(process.execPath, [BIN, "session", ...args], { ...optionsFor(world), encoding: "utf8" });
  expect(hotcell("commit", "last", "small", "--yes").status).toBe(0);
  expect(world.files()).toEqual({ there: 0, small: 6 });
  expect(hotcell("diff", "last", "--stat").stdout).toContain("made");
});

import fs from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openTempCell, type TempCell } from "../../../test/kit/worlds/temp-cell.ts";

type Cell = TempCell["cell"];

const NAMES = ["f0", "f1", "f2"];

/** A cell on a session in which each of the files has new content. */
async function openChanged(onProgress?: () => void) {
  const files = Object.fromEntries(NAMES.map((name) => [name, "old"]));
  const options = {
    fs: "overlay",
    strategy: "clone",
    trust: "autonomous",
    ...(onProgress && { onProgress }),
  };
  const { cell, root } = await openTempCell(options as object, files);
  for (const path of NAMES) await cell.call({ name: "write_file", arguments: { path, content: "new" } });
  const read = () => NAMES.map((name) => fs.readFileSync(`${root}/${name}`, "utf8"));
  return { cell, root, read };
}

function keepWarnings(): string[] {
  const warnings: string[] = [];
  const keep = ({ message }: Error) => warnings.push(message);
  process.on("warning", keep);
  onTestFinished(() => void process.off("warning", keep));
  return warnings;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a callback onProgress that throws at any step is a warning of the process, and the commit is whole", async () => {
  const warnings = keepWarnings();
  const steps = NAMES.length * 2;
  for (let failing = 1; failing <= steps; failing++) {
    const { cell, root, read } = await openChanged();
    const onProgress = (done: number) => {
      if (done === failing) throw new Error(`the screen is gone at ${done}`);
    };
    expect(await cell.commit({ onProgress })).toMatchObject({ committed: NAMES, conflicts: [] });
    expect(read()).toEqual(["new", "new", "new"]);
    expect(fs.readdirSync(root).sort()).toEqual(NAMES);
    expect(await cell.commit()).toMatchObject({ committed: [] });
  }
  await nextTurn();
  expect(warnings.map((text) => text.split("\n")[0])).toEqual(
    Array.from(
      { length: steps },
      (_, at) => `The callback onProgress threw: Error: the screen is gone at ${at + 1}`,
    ),
  );
});

test("a callback onProgress whose promise is rejected is a warning too", async () => {
  const warnings = keepWarnings();
  const { cell, read } = await openChanged();
  const onProgress = async () => {
    throw new Error("late");
  };
  await cell.commit({ onProgress });
  await nextTurn();
  expect(read()).toEqual(["new", "new", "new"]);
  expect(warnings).toHaveLength(NAMES.length * 2);
});

test("the callback onProgress of openCell that throws is a warning, and the cell opens", async () => {
  const warnings = keepWarnings();
  const { cell, read } = await openChanged(() => {
    throw new Error("the screen is gone");
  });
  await cell.commit();
  expect(read()).toEqual(["new", "new", "new"]);
  expect(warnings[0]).toMatch(/^The callback onProgress threw: Error: the screen is gone\n/);
});

test.each<[string, (cell: Cell) => Promise<unknown>, string]>([
  [
    "commit",
    ({ commit }) => commit({ allowProtected: "false" as never }),
    'commit: allowProtected is "false"; allowed are true, false',
  ],
  [
    "plan",
    ({ plan }) => plan({ allowProtected: 1 as never }),
    "plan the commit: allowProtected is 1; allowed are true, false",
  ],
  [
    "commitGitBranch",
    ({ commitGitBranch }) => commitGitBranch("b", { allowProtected: "no" as never }),
    'create the branch: allowProtected is "no"; allowed are true, false',
  ],
  ["diff", ({ diff }) => diff({ all: "x" as never }), 'diff: all is "x"; allowed are true, false'],
  ["patch", ({ patch }) => patch({ call: 3 as never }), "make the patch: call is 3; allowed is text"],
  [
    "commit",
    ({ commit }) => commit({ onProgress: true as never }),
    "commit: onProgress is true; allowed is a function",
  ],
  ["commit", ({ commit }) => commit({ planHash: 5 as never }), "commit: planHash is 5; allowed is text"],
  ["commit", ({ commit }) => commit({ paths: "f0" as never }), 'commit: paths is "f0"; allowed is a list'],
  ["commit", ({ commit }) => commit({ hunks: [5] as never }), "commit: hunks[0] is 5; allowed is text"],
  [
    "discard",
    ({ discard }) => discard({ paths: [null] as never }),
    "discard: paths[0] is null; allowed is text",
  ],
  ["fork", ({ fork }) => fork({ signal: "x" as never }), 'fork: signal is "x"; allowed is an AbortSignal'],
  [
    "checkpoint",
    ({ checkpoint }) => checkpoint({ paths: ["a"] } as never),
    'begin a layer: paths is no setting; the settings are "signal"',
  ],
  [
    "exec",
    ({ exec }) => exec(["true"], { attached: "no" as never }),
    'run the call: attached is "no"; allowed are true, false',
  ],
  [
    "call",
    ({ call }) => call({ name: "time.now" }, { roots: [5] as never }),
    "run the call: roots[0] is 5; allowed is text",
  ],
])(
  "an option of %s that has another type is refused, and nothing is committed",
  async (_, attempt, problem) => {
    const { cell, read } = await openChanged();
    const refusal = { code: "CONFIG_INVALID", message: `Could not ${problem}.` };
    await expect(attempt(cell)).rejects.toMatchObject(refusal);
    expect(read()).toEqual(["old", "old", "old"]);
  },
);

test.each<[string, (cell: Cell) => unknown, string]>([
  ["rewind", ({ rewind }) => rewind(undefined as never), "rewind: to is undefined; allowed is text"],
  ["rewind", ({ rewind }) => rewind(["#1"] as never), "rewind: to is an array of 1; allowed is text"],
  ["revert", ({ revert }) => revert(5 as never), "revert: tx is 5; allowed is text"],
  [
    "commitGitBranch",
    ({ commitGitBranch }) => commitGitBranch(undefined as never),
    "create the branch: branch is undefined; allowed is text",
  ],
  ["explain", ({ explain }) => explain(5 as never), "explain the call: tool is 5; allowed is text"],
  [
    "explain",
    ({ explain }) => explain("write_file", null as never),
    "explain the call: args is null; allowed is an object",
  ],
  [
    "recordRun",
    ({ recordRun }) => recordRun(undefined as never),
    "record the run: event is undefined; allowed is an object",
  ],
  [
    "recordRun",
    ({ recordRun }) => recordRun({ kind: "tool.exec", run: "r" } as never),
    'record the run: event.kind is "tool.exec"; allowed are "run.start", "run.end"',
  ],
])(
  "an argument of %s that has another type is refused by its name, and the session keeps its changes",
  async (_, attempt, problem) => {
    const { cell } = await openChanged();
    await cell.checkpoint();
    await expect(async () => attempt(cell)).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
      message: expect.stringContaining(`Could not ${problem}`),
    });
    expect((await cell.diff()).changes).toHaveLength(NAMES.length);
  },
);

test.each(["./dir", "dir/", "./dir//"])("%s means the directory as the diff names it", async (given) => {
  const { cell } = await openTempCell({ fs: "overlay", strategy: "clone" } as object);
  const write = { name: "write_file", arguments: { path: "dir/a", content: "a\n" } };
  await cell.call({ id: "c1", ...write });
  expect((await cell.plan({ paths: [given] })).steps.map(({ path }) => path)).toContain("dir/a");
  await cell.discard({ paths: [given] });
  expect((await cell.diff()).changes).toEqual([]);
  await cell.undoRewind();
  await cell.rewind("c1", { paths: [given] });
  expect((await cell.diff()).changes).toEqual([]);
});

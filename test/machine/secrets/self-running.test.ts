// Changes that are confirmed separately by what is there, not by their name alone.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

async function open(files: Record<string, string> = {}) {
  const { cell, root } = await openTempCell({ fs: "overlay", trust: "autonomous" }, { f: "", ...files });
  const run = (command: string) => cell.call({ name: "run_command", arguments: { command } });
  return { cell, root, run };
}

test("a directory that is a bare git repository counts as .git", async () => {
  const { cell, run } = await open();
  await run("git init -q --bare docs/repo; mkdir docs/other; touch docs/other/HEAD docs/a");
  const { protectedPaths } = await cell.plan();
  expect(protectedPaths).toContain("docs/repo/config");
  expect(protectedPaths).toContain("docs/repo/HEAD");
  expect(protectedPaths.filter((at) => !at.startsWith("docs/repo"))).toEqual([]);
  expect((await cell.commit()).committed).toEqual(["docs", "docs/a", "docs/other", "docs/other/HEAD"]);
});

const MAKE = "git init -q --bare . && git config demo.key obeyed";
const BARE: readonly (readonly [what: string, directory: string, commands: string])[] = [
  ["in a directory", "docs/repo", MAKE],
  ["in the project's own directory", ".", MAKE],
  [
    "whose objects and refs are links",
    "docs/repo",
    `${MAKE} && mkdir ../a && for d in objects refs; do mv $d ../a/$d && ln -s ../a/$d $d; done`,
  ],
  [
    "whose objects are an executable file",
    "docs/repo",
    `${MAKE} && rm -r objects && install /dev/null objects`,
  ],
  [
    "whose objects and refs are in another directory",
    "docs/repo",
    `${MAKE} && mkdir ../common && mv objects refs config ../common && echo ../common > commondir`,
  ],
];

test.each(BARE)(
  "a bare git repository %s is obeyed by git only after a separate confirmation",
  async (_, directory, commands) => {
    const { cell, root, run } = await open();
    const { success } = await run(`mkdir -p ${directory} && cd ${directory} && ${commands}`);
    expect(success).toBe(true);
    const askGit = () =>
      spawnSync("git", ["-C", path.join(root, directory), "config", "demo.key"], { encoding: "utf8" }).stdout;
    await cell.commit();
    expect(askGit()).not.toContain("obeyed");
    await cell.commit({ allowProtected: true });
    expect(askGit()).toContain("obeyed");
  },
);

test("a link that leads outside is marked in the diff and confirmed; others are not", async () => {
  const { cell, run, root } = await open({ "d/x": "" });
  await run(
    [
      "ln -s /etc/passwd absolute",
      "ln -s ../.. d/up",
      "ln -s .. d/root",
      "ln -s d/root/../../x round",
      "ln -s circle circle",
      "ln -s d/x inside",
      `ln -s ${root}/d/x own`,
      "ln -s gone/x dangling",
    ].join("; "),
  );
  const { changes, stat } = await cell.diff();
  const outside = ["absolute", "circle", "d/up", "round"];
  expect(changes.filter(({ leadsOutside }) => leadsOutside).map(({ path: at }) => at)).toEqual(outside);
  expect(stat()).toMatch(/^ absolute +\| new symlink that leads outside the project$/m);
  const { committed, skipped } = await cell.commit();
  expect(committed).toEqual(["d/root", "dangling", "inside", "own"]);
  expect(skipped).toEqual(outside.map((at) => ({ path: at, why: "needs confirmation" })));
  expect((await cell.commit({ allowProtected: true })).committed).toEqual(outside);
});

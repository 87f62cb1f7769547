// Trees that are deeper than any path can name, and directories with very many entries.
import fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { walkTree } from "../../../src/workspace/fs/tree.ts";
import { workInChild } from "../../kit/children/workspace-child.ts";
import { digDown } from "../../kit/dig-down.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { queryFor } from "../../kit/search-query.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const FEW_DESCRIPTORS = ["prlimit", "--nofile=256:256"];
const DEPTH = 30_000;
/** Directories `d` in one another down to the first whose entries no path could name. */
const WALKED = 1921;
const MANY = 43_000;

function tempWorld() {
  const world = makeHostWorld(MEMORY_DIR);
  onTestFinished(() => world.remove());
  return world;
}

/** How many entries there are, however deep. */
function countEntries(root: string): number {
  const fd = fs.openSync(root, fs.constants.O_DIRECTORY);
  let count = 0;
  for (const { step } of walkTree(fd)) if (step !== "leave") count++;
  fs.closeSync(fd);
  return count;
}

describe("a tree 30,000 directories deep", () => {
  test("is copied and removed whole, with few files open at a time", () => {
    const world = tempWorld();
    digDown(world.root, DEPTH, ["f"]);
    const done = { value: null };
    expect(workInChild(world, [["copy", "d", "e"]], FEW_DESCRIPTORS)).toEqual([done, done]);
    expect(countEntries(`${world.root}/e`)).toBe(DEPTH);
    const answers = workInChild(
      world,
      [
        ["rename", "e", "moved"],
        ["remove", "moved", { recursive: true }],
        ["remove", "d", { recursive: true }],
      ],
      FEW_DESCRIPTORS,
    );
    expect(answers).toEqual([done, done, done, done]);
    expect(fs.readdirSync(world.root)).toEqual([]);
  });

  test("is walked as far down as a path can name it, and the directory with the rest is reported", () => {
    const { root, open } = tempWorld();
    digDown(root, DEPTH, ["f"]);
    const workspace = open();
    const refused: string[] = [];
    const walked = Array.from(workspace.walk(".", { refused: (at) => refused.push(at) }), ({ path }) => path);
    expect([walked.length, refused]).toEqual([WALKED, [walked.at(-1)]]);
    expect(workspace.list(refused[0]!).total).toBe(1);
    workspace.close();
  });

  test("is searched as far down as a path can name it", async () => {
    const { root, open } = tempWorld();
    digDown(root, DEPTH, ["f"]);
    fs.writeFileSync(`${root}/d/d/d/near`, "hit");
    const workspace = open();
    const { matches, unreadable } = await workspace.search(".", queryFor("hit"));
    expect(matches.map(({ path }) => path)).toEqual(["d/d/d/near"]);
    expect(unreadable).toBe(1);
    workspace.close();
  });

  test("is kept whole when what is protected is at its bottom", () => {
    const world = tempWorld();
    digDown(world.root, DEPTH, ["f", ".env"]);
    const answers = workInChild(world, [["remove", "d", { recursive: true }]], FEW_DESCRIPTORS);
    expect(answers).toMatchObject([{ code: "PROTECTED_PATH" }, { value: null }]);
    expect(countEntries(world.root)).toBe(DEPTH + 2);
  });
});

test(`a directory with ${MANY} entries is listed, walked, copied and removed whole`, () => {
  const { root, open } = tempWorld();
  fs.mkdirSync(`${root}/d`);
  for (let file = 0; file < MANY; file++) fs.writeFileSync(`${root}/d/f${file}`, "");
  const workspace = open();
  const { entries, total } = workspace.list("d");
  const names = entries.map(({ name }) => name);
  expect(total).toBe(MANY);
  expect(names).toEqual([...names].sort());
  expect(new Set(names).size).toBe(MANY);
  workspace.copy("d", "e");
  expect([...workspace.walk("e")].length).toBe(MANY);
  for (const dir of ["d", "e"]) workspace.remove(dir, { recursive: true });
  expect(fs.readdirSync(root)).toEqual([]);
  workspace.close();
});

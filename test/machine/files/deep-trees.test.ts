// Trees that are deeper than any path can name, and directories with very many entries.
import fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { workInChild } from "../../kit/children/workspace-child.ts";
import { digDown } from "../../kit/dig-down.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { queryFor } from "../../kit/search-query.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const FEW_DESCRIPTORS = ["prlimit", "--nofile=256:256"];
const DEPTH = 30_000;
const MANY = 43_000;

function tempWorld() {
  const world = makeHostWorld(MEMORY_DIR);
  onTestFinished(() => world.remove());
  return world;
}

describe("a tree 30,000 directories deep", () => {
  test("is walked, copied and removed whole, with few files open at a time", () => {
    const world = tempWorld();
    digDown(world.root, DEPTH, ["f"]);
    const answers = workInChild(
      world,
      [
        ["copy", "d", "copy"],
        ["walk", "copy"],
        ["rename", "copy", "moved"],
        ["remove", "moved", { recursive: true }],
        ["remove", "d", { recursive: true }],
      ],
      FEW_DESCRIPTORS,
    );
    const done = { value: null };
    expect(answers).toEqual([done, { value: DEPTH }, done, done, done, done]);
    expect(fs.readdirSync(world.root)).toEqual([]);
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
    const answers = workInChild(
      world,
      [
        ["remove", "d", { recursive: true }],
        ["walk", "."],
      ],
      FEW_DESCRIPTORS,
    );
    expect(answers).toMatchObject([{ code: "PROTECTED_PATH" }, { value: DEPTH + 2 }, { value: null }]);
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

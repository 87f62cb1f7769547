// In the tree of the benchmarks: 65,000 files of well-known packages. It is made once, by npm, in the user's cache directory.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ComparedTree, openComparedTree, ROWS } from "../kit/machine-and-soak/ripgrep.ts";

// Benchmarks have no types.
const BENCH = "../../bench/sessions-tree.js";
const { dir, home } = (await import(BENCH)).openTree();

let tree: ComparedTree;
beforeAll(() => {
  tree = openComparedTree((directory) => {
    execFileSync("cp", ["-al", path.join(dir, "node_modules"), directory]);
  }, home);
});
afterAll(() => tree.close());

test("ripgrep is asked forty questions", () => expect(ROWS.length).toBe(40));

test.each(ROWS.map((row) => [row[0], row] as const))(
  "search finds the lines that ripgrep finds: %s",
  (_what, row) => tree.compare(row),
);

test("the ignore rules leave something out, and not all", async () => {
  const some = await tree.countMatches({ ignored: false });
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(await tree.countMatches({ ignored: true }));
});

// In the packages that this project itself needs. The same on 60,000 files: test/soak.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ComparedTree, openComparedTree, ROWS } from "../../kit/machine-and-soak/ripgrep.ts";
import { ROOT } from "../../kit/worlds/document.ts";

/** Compiled programs are half of all bytes; copies of them would only take time. */
const MAX_BYTES = 8 * 1024 * 1024;

let tree: ComparedTree;
beforeAll(() => {
  tree = openComparedTree(
    (directory) =>
      fs.cpSync(path.join(ROOT, "node_modules"), directory, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (at) => fs.lstatSync(at).size <= MAX_BYTES,
      }),
    os.tmpdir(),
  );
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

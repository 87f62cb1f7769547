import os from "node:os";
import { describe, test } from "vitest";
import { checkGrowth } from "../kit/machine-and-soak/session-growth.ts";
import { STRATEGIES } from "../kit/worlds/session-world.ts";

const TITLE = "%s: every step on %d of them is proportional";

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test.each([
    ["levels", 100_000],
    ["levels in chains of 500", 50_000],
    ["empty files", 500_000],
    ["entries of one directory", 200_000],
    ["symbolic links in a chain", 10_000],
    ["hard links of one file", 10_000],
  ])(TITLE, (shape, count) => checkGrowth(strategy, shape, count));
});

describe("with the strategy kernel", () => {
  // On a disk the table of these names is larger than a tool may list.
  test.each([["names of 255 bytes", 200_000]])(TITLE, (shape, count) =>
    checkGrowth("kernel", shape, count, os.tmpdir()),
  );
  test.each([["empty files", 1_000_000]])(TITLE, (shape, count) => checkGrowth("kernel", shape, count));
});

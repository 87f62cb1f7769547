import { describe, expect, test } from "vitest";
import { GOOD_MACHINE, NO_NAMESPACES } from "../../test/kit/worlds/machines.ts";
import { chooseTier, findForeign } from "./choose-tier.ts";
import type { Machine } from "./probe.ts";

const UNSHARE = "unshare: unshare failed: Operation not permitted";

describe("a machine", () => {
  test("that has namespaces and bubblewrap gets the full tier", () => {
    expect(chooseTier(GOOD_MACHINE)).toEqual({ tier: "full" });
  });

  test("that has namespaces, but no bubblewrap, gets none, with the command that installs it", () => {
    expect(chooseTier({ ...GOOD_MACHINE, bubblewrap: null })).toEqual({
      tier: null,
      why: "missing: bubblewrap. Install it: sudo apt-get install -y bubblewrap",
    });
  });

  test("that has not the programs to try gets none, whatever else there is", () => {
    const missing = ["unshare", "nsenter"];
    expect(chooseTier({ ...NO_NAMESPACES, missing })).toEqual({
      tier: null,
      why: "missing: unshare, nsenter. Install it: sudo apt-get install -y util-linux",
    });
  });

  test.each([
    ["gets the full tier without perl", GOOD_MACHINE, { tier: "full" }],
    [
      "without user namespaces needs perl",
      NO_NAMESPACES,
      { tier: null, why: "missing: perl. Install it: sudo apt-get install -y perl" },
    ],
  ])("%s", (_, machine, choice) => {
    expect(chooseTier({ ...machine, missing: ["perl"], landlock: 0 })).toEqual(choice);
  });

  test("without user namespaces gets Landlock, and the result says so", () => {
    expect(chooseTier(NO_NAMESPACES)).toEqual({
      tier: "landlock",
      weakened: `Only Landlock sandboxes commands, because user namespaces are not available (${UNSHARE}). Run hotcell doctor: it shows what this leaves open, and the fix.`,
    });
  });

  test.each<[string, Partial<Machine>, string]>([
    ["without Landlock", { landlock: 0 }, "nor Landlock 3 or newer (found: none)"],
    ["with a Landlock that is too old", { landlock: 2 }, "nor Landlock 3 or newer (found: 2)"],
    ["as root", { isRoot: true }, "and root cannot use the weaker sandbox"],
  ])("without user namespaces and %s gets none", (_, more, why) => {
    expect(chooseTier({ ...NO_NAMESPACES, ...more })).toEqual({
      tier: null,
      why: `user namespaces are not available (${UNSHARE}), ${why}`,
    });
  });
});

test.each([
  ["linux", "x64", null],
  ["linux", "arm64", null],
  ["linux", "riscv64", "there is no system call filter for the processor riscv64"],
  ["darwin", "arm64", "this version has no sandbox for macOS yet"],
  ["win32", "x64", "there is no sandbox for the system win32"],
])("of %s on %s is said: %s", (platform, arch, said) => {
  expect(findForeign(platform, arch)).toBe(said);
});

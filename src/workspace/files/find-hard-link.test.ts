import { expect, test } from "vitest";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { findHardLink } from "./find-hard-link.ts";
import type { WalkEntry } from "./workspace-fs.ts";

const file = (path: string, links: number) =>
  ({ path, kind: "file", stat: () => ({ links }) }) as unknown as WalkEntry;

/** A project with this many files before the hard link `linked`. */
function projectOf(filesBefore: number, packages?: readonly WalkEntry[]) {
  return {
    *walk(top: string) {
      if (top === ".") {
        for (let n = 0; n < filesBefore; n++) yield file(`a${n}`, 1);
        yield file("linked", 2);
      } else if (packages !== undefined && top === "node_modules/.pnpm") yield* packages;
      else throw new HotcellError("NOT_FOUND", "No such directory.");
    },
  };
}

const MOST = LIMITS.maxHardLinkEntries;

test.each([
  [MOST - 1, { file: "linked", isCut: false }],
  [MOST, { file: null, isCut: true }],
])("a hard link after %d other entries of the project: %j", (filesBefore, found) => {
  expect(findHardLink(projectOf(filesBefore))).toEqual(found);
});

test.each([
  ["have one", [file("node_modules/.pnpm/p/f", 2)], "node_modules/.pnpm/p/f"],
  ["have none", [file("node_modules/.pnpm/p/f", 1)], "linked"],
])("pnpm's packages are looked at before the project: if they %s", (_, packages, found) => {
  expect(findHardLink(projectOf(MOST - 1, packages)).file).toBe(found);
});

test("a hard link among pnpm's packages is found in a project with any number of entries", () => {
  const packages = [file("node_modules/.pnpm/p/f", 2)];
  expect(findHardLink(projectOf(MOST, packages)).file).toBe("node_modules/.pnpm/p/f");
});

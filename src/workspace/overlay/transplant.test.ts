import { execFileSync } from "node:child_process";
import fs from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { twoTrees } from "../../../test/kit/arbitrary-trees.ts";
import { MEMORY_DIR } from "../../../test/kit/memory-dir.ts";
import { directory, file, type PlantedTree, plant, survey, symlink } from "../../../test/kit/planted-tree.ts";
import { createCursor } from "../cursor.ts";
import { openRoot } from "../paths.ts";
import { atOnce } from "../pieces.ts";
import { removeDirectory } from "../session/make-session.ts";
import { makeDirectory } from "../tree-change.ts";
import { transplant } from "./transplant.ts";

type Entries = Parameters<typeof tree>[0];
const tree = (entries: Record<string, ReturnType<typeof file>>): PlantedTree =>
  new Map(Object.entries(entries));

function makeTrees(from: PlantedTree, to: PlantedTree) {
  const top = fs.mkdtempSync(`${MEMORY_DIR}/hotcell-test-`);
  plant(`${top}/from`, from);
  plant(`${top}/to`, to);
  const roots = [openRoot(`${top}/from`), openRoot(`${top}/to`)] as const;
  onTestFinished(() => {
    for (const { fd } of roots) fs.closeSync(fd);
    removeDirectory(top);
  });
  return {
    top,
    transplant: (at: string) => atOnce(transplant(...roots, at, (path) => path.endsWith("secret"))),
    found: () => survey(`${top}/to`),
  };
}

const FROM: Entries = {
  file: file("new\n", 0o4755),
  link: symlink("../nowhere\uDCFF"),
  d: directory(0o555),
  "d/x": file("x", 0o400),
  "d/e": directory(0o2750),
  "d/e/\uDCFE": symlink("x"),
  "d/empty": directory(0o700),
  "other/left": file(""),
};
const BELOW_D = Object.fromEntries(Object.entries(FROM).filter(([path]) => /^d(\/|$)/.test(path)));

test.each<[at: string, what: string, before: Entries, after: Entries]>([
  ["file", "a file", {}, { file: FROM.file! }],
  ["file", "a file in place of another", { file: file("old", 0o444) }, { file: FROM.file! }],
  [
    "file",
    "a file in place of a directory",
    { "file/a/b": file(""), file: directory(0o500) },
    { file: FROM.file! },
  ],
  ["link", "a link in place of a link", { link: symlink("/etc") }, { link: FROM.link! }],
  ["d", "a directory", {}, BELOW_D],
  ["d", "a directory without what it had", { "d/old/older": file("") }, BELOW_D],
  [
    "d",
    "a directory in place of a link to one",
    { d: symlink("z"), "z/a": file("a") },
    { ...BELOW_D, z: directory(), "z/a": file("a") },
  ],
  [
    "d/e/\uDCFE",
    "a link with the directories that lead to it",
    {},
    { d: FROM.d!, "d/e": FROM["d/e"]!, "d/e/\uDCFE": symlink("x") },
  ],
  [
    "d/x",
    "a file in a directory that is there",
    { d: directory(0o700), "d/own": file("") },
    { d: directory(0o700), "d/own": file(""), "d/x": FROM["d/x"]! },
  ],
  ["d/x", "a file where another is on the way", { d: file("") }, { d: FROM.d!, "d/x": FROM["d/x"]! }],
  ["none", "nothing in place of a directory", { "none/a": file("") }, {}],
  ["none", "nothing where nothing is", {}, {}],
  ["file/below", "nothing below what is no directory", { "file/below": file("") }, { file: directory() }],
  ["d/none/below", "nothing below nothing", {}, {}],
])("transplanting %j brings %s", (at, _, before, after) => {
  const trees = makeTrees(tree(FROM), tree(before));
  trees.transplant(at);
  expect(trees.found()).toEqual(tree(after));
});

test("any path of a tree becomes what it is in another, and nothing else changes", () => {
  fc.assert(
    fc.property(twoTrees, fc.nat(), ({ before, after }, choice) => {
      const trees = makeTrees(after, before);
      const paths = [...new Set([...before.keys(), ...after.keys(), "none"])];
      const at = paths[choice % paths.length]!;
      const isElsewhere = ([path]: readonly [string, unknown]) => path !== at && !path.startsWith(`${at}/`);
      const isOnTheWay = ([path]: readonly [string, unknown]) => at.startsWith(`${path}/`);
      trees.transplant(at);
      const found = trees.found();
      const part = (of: PlantedTree) => new Map([...of].filter((entry) => !isElsewhere(entry)));
      const rest = (of: PlantedTree) =>
        [...of].filter((entry) => isElsewhere(entry) && !isOnTheWay(entry)).sort();
      expect(part(found)).toEqual(part(after));
      expect(rest(found)).toEqual(rest(before));
    }),
    { numRuns: 150 },
  );
});

test("what is transplanted keeps its time and, as root, its owner", () => {
  const trees = makeTrees(tree({ "a/b/f": file("f"), "a/b/l": symlink("f") }), new Map());
  const isRoot = process.getuid!() === 0;
  const owner = isRoot ? [1234, 5678] : [process.getuid!(), process.getgid!()];
  for (const at of ["a/b/f", "a/b/l", "a/b", "a"]) {
    fs.lchownSync(`${trees.top}/from/${at}`, owner[0]!, owner[1]!);
    if (!at.endsWith("l")) fs.utimesSync(`${trees.top}/from/${at}`, 1000, 2000);
  }
  trees.transplant("a/b");
  const stats = ["a", "a/b", "a/b/f", "a/b/l"].map((at) => fs.lstatSync(`${trees.top}/to/${at}`));
  expect(stats.map(({ uid, gid }) => [uid, gid])).toEqual([owner, owner, owner, owner]);
  expect(stats.slice(0, 3).map(({ mtimeMs }) => mtimeMs)).toEqual([2_000_000, 2_000_000, 2_000_000]);
});

test("special files are left out, and no link is followed", () => {
  const trees = makeTrees(
    tree({ "d/f": file("f") }),
    tree({ fifo: file("goes"), d: symlink("../outside"), "e/l": symlink("../../outside") }),
  );
  plant(`${trees.top}/outside`, tree({ f: file("kept") }));
  for (const at of ["fifo", "d/fifo"]) execFileSync("mkfifo", [`${trees.top}/from/${at}`]);
  for (const at of ["fifo", "d", "e"]) trees.transplant(at);
  expect(trees.found()).toEqual(tree({ d: directory(), "d/f": file("f") }));
  expect(survey(`${trees.top}/outside`)).toEqual(tree({ f: file("kept") }));
});

test.each(["..", "../from", "a/../../from", "/etc", "", "a//b"])("%j is no path to transplant", (at) => {
  const trees = makeTrees(tree({ f: file("") }), tree({ f: file("kept") }));
  expect(() => trees.transplant(at)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
  expect(trees.found()).toEqual(tree({ f: file("kept") }));
});

test("a tree deeper than any path is transplanted whole", () => {
  const trees = makeTrees(new Map(), new Map());
  const depth = 3000;
  dig(`${trees.top}/from`, depth, true);
  trees.transplant("d");
  expect(dig(`${trees.top}/to`, depth, false)).toBe("bottom");
});

function dig(root: string, depth: number, makes: boolean): string {
  const { fd } = openRoot(root);
  const cursor = createCursor(fd);
  try {
    for (let level = 0; level < depth; level++) {
      if (makes) makeDirectory(cursor.fd, "d", null);
      cursor.down("d");
    }
    if (makes) fs.writeFileSync(`/proc/self/fd/${cursor.fd}/f`, "bottom");
    return fs.readFileSync(`/proc/self/fd/${cursor.fd}/f`, "utf8");
  } finally {
    cursor.close();
    fs.closeSync(fd);
  }
}

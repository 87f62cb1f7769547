import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MEMORY_DIR } from "../../../test/kit/memory-dir.ts";
import { file, type PlantedTree, plant, symlink } from "../../../test/kit/worlds/planted-tree.ts";
import { clockStep } from "../fs/file-clock.ts";
import { createScannedDirectory, type ScannedEntry, type ScanTreeOptions, scanTree } from "./clone-scan.ts";

const NOTHING = createScannedDirectory(0, new Map());
/** A clock that has gone on since anything was changed. */
const LATER = Number.POSITIVE_INFINITY;

function makeTree(tree: PlantedTree) {
  const top = fs.mkdtempSync(path.join(MEMORY_DIR, "hotcell-look-"));
  onTestFinished(() => fs.rmSync(top, { recursive: true }));
  plant(top, tree);
  const fd = fs.openSync(top, fs.constants.O_RDONLY);
  onTestFinished(() => fs.closeSync(fd));
  const lookNow = (known: ScannedEntry = NOTHING, options: Partial<ScanTreeOptions> = {}) =>
    scanTree(fd, known, { clockMs: LATER, excludes: () => false, ...options });
  return { at: (name: string) => path.join(top, name), lookNow };
}

const TREE: PlantedTree = new Map([
  ["a", file("a")],
  ["d/x", file("x")],
  ["e/f/y", symlink("nowhere")],
]);

test("a look at what is as it was gives what was known; else only what leads to a change is new", async () => {
  const { at, lookNow } = makeTree(TREE);
  const known = await lookNow();
  expect(await lookNow(known)).toBe(known);
  fs.writeFileSync(at("e/f/z"), "");
  const next = await lookNow(known);
  const isKept = (name: string) => next.below!.get(name) === known.below!.get(name);
  expect(["a", "d", "e"].map(isKept)).toEqual([true, true, false]);
});

test("names are read again where the clock has not gone on since they were read", async () => {
  const { at, lookNow } = makeTree(TREE);
  const { ctimeMs } = fs.statSync(at("d"));
  const timeOf = async (clockMs: number) => (await lookNow(NOTHING, { clockMs })).below!.get("d")!.ctimeMs;
  expect([await timeOf(ctimeMs), await timeOf(ctimeMs + 1)]).toEqual([-1, ctimeMs]);
});

test("the clock has gone on after a step of it", async () => {
  const { at } = makeTree(TREE);
  for (let round = 0; round < 5; round++) {
    fs.writeFileSync(at(`before${round}`), "");
    await clockStep(at("d"));
    fs.writeFileSync(at(`after${round}`), "");
    const timeOf = (name: string) => fs.statSync(at(`${name}${round}`)).ctimeMs;
    expect(timeOf("after")).toBeGreaterThan(timeOf("before"));
  }
});

test("a directory that replaced another in the same tick of the clock is scanned", async () => {
  const { lookNow } = makeTree(TREE);
  const known = await lookNow();
  const [d, e] = [known.below!.get("d")!, known.below!.get("e")!];
  const another = createScannedDirectory(d.mode, new Map(), { ino: d.ino + 1, ctimeMs: d.ctimeMs });
  const aFile: ScannedEntry = { ...e, kind: "file", below: null };
  const mistaken = createScannedDirectory(
    known.mode,
    new Map([...known.below!, ["d", another], ["e", aFile]]),
  );
  const found = await lookNow(mistaken);
  expect(["d", "e"].map((name) => [...found.below!.get(name)!.below!.keys()])).toEqual([["x"], ["f"]]);
});

test("excluded entries are judged by their path, directories with a slash, and not scanned", async () => {
  const { lookNow } = makeTree(TREE);
  const judged: string[] = [];
  const found = await lookNow(NOTHING, {
    excludes(at) {
      judged.push(at);
      return at === "e/f/" || at === "a";
    },
  });
  expect(judged.sort()).toEqual(["a", "d/", "d/x", "e/", "e/f/"]);
  expect([...found.below!.keys()].sort()).toEqual(["d", "e"]);
  expect(found.below!.get("e")!.below!.size).toBe(0);
});

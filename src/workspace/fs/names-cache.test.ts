import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { createNamesCache } from "./names-cache.ts";
import { readNamesForTool } from "./tree.ts";

/** A directory that is listed as if it had last changed so long ago. */
function begin(ageMs: number) {
  const at = tempDir();
  fs.writeFileSync(path.join(at, "a"), "");
  const fd = fs.openSync(at, "r");
  onTestFinished(() => fs.closeSync(fd));
  let reads = 0;
  const namesIn = createNamesCache(
    (dir, stat) => {
      reads++;
      return readNamesForTool(dir, stat);
    },
    () => Date.now() + ageMs,
  );
  return {
    at: (name: string) => path.join(at, name),
    listed: () => namesIn(fd, fs.fstatSync(fd)).map(({ name, kind }) => `${kind} ${name}`),
    reads: () => reads,
  };
}

test("a directory that has not changed is read once", () => {
  const { listed, reads } = begin(5000);
  expect([listed(), listed(), reads()]).toEqual([["file a"], ["file a"], 1]);
});

test("a directory that changed shortly before is read each time: it may have changed again within the same tick", () => {
  const { listed, reads } = begin(0);
  expect([listed(), listed(), reads()]).toEqual([["file a"], ["file a"], 2]);
});

describe("a name in a directory that was listed before", () => {
  const changes: readonly [string, (at: (name: string) => string) => void, readonly string[]][] = [
    ["that comes", (at) => fs.writeFileSync(at("b"), ""), ["file a", "file b"]],
    ["that goes", (at) => fs.rmSync(at("a")), []],
    ["that gets another", (at) => fs.renameSync(at("a"), at("c")), ["file c"]],
    [
      "that becomes something else",
      (at) => {
        fs.rmSync(at("a"));
        fs.symlinkSync("elsewhere", at("a"));
      },
      ["symlink a"],
    ],
  ];
  test.each(changes)(
    "%s is noticed, even where the time of the last change was set back",
    (_, change, names) => {
      const { at, listed } = begin(5000);
      const { atime, mtime } = fs.statSync(at("."));
      listed();
      change(at);
      fs.utimesSync(at("."), atime, mtime);
      expect(listed()).toEqual(names);
    },
  );
});

test("what is remembered has a limit, and what is beyond is read again", () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    name: String(index),
    kind: "file" as const,
  }));
  const dirs = [tempDir(), tempDir()].map((at) => fs.openSync(at, "r"));
  onTestFinished(() => {
    for (const fd of dirs) fs.closeSync(fd);
  });
  const read: number[] = [];
  const namesIn = createNamesCache(
    (dir) => {
      read.push(dir);
      return many;
    },
    () => Date.now() + 5000,
  );
  for (const dir of [dirs[0]!, dirs[1]!, dirs[1]!, dirs[0]!]) namesIn(dir, fs.fstatSync(dir));
  expect(read).toEqual([dirs[0], dirs[1], dirs[0]]);
});

test("directories without a name count too", () => {
  const dir = fs.openSync(tempDir(), "r");
  onTestFinished(() => fs.closeSync(dir));
  const stat = fs.fstatSync(dir);
  let reads = 0;
  const namesIn = createNamesCache(
    () => {
      reads++;
      return [];
    },
    () => Date.now() + 5000,
  );
  const list = (ino: number) => namesIn(dir, Object.assign(Object.create(stat), { ino }));
  for (let ino = 1; ino <= 150_001; ino++) list(ino);
  list(1);
  expect(reads).toBe(150_002);
});

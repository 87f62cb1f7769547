import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { removeHidden } from "./remove-hidden.ts";

function plantedDir(): string {
  const dir = tempDir();
  fs.mkdirSync(path.join(dir, "a/b"), { recursive: true });
  for (const name of ["a/b/c", "a/b/d", "a/e", "f"]) fs.writeFileSync(path.join(dir, name), "");
  fs.symlinkSync("a/b/c", path.join(dir, "link"));
  return dir;
}

const named = (dir: string, hidden: readonly string[]) =>
  removeHidden(
    [dir],
    hidden.map((at) => path.join(dir, at)),
  )
    .map((at) => path.relative(dir, at))
    .sort();

test("a directory with nothing to hide stays one", () => {
  expect(named(plantedDir(), [])).toEqual([""]);
});

test("beside what is hidden everything is named, as whole directories where that is possible", () => {
  expect(named(plantedDir(), ["f"])).toEqual(["a"]);
  expect(named(plantedDir(), ["a/b/c"])).toEqual(["a/b/d", "a/e", "f"]);
});

test("links are never named: they may lead to what is hidden", () => {
  expect(named(plantedDir(), ["a/b/c"])).not.toContain("link");
});

test("what is hidden itself, or below it, is not named at all", () => {
  const dir = plantedDir();
  const shown = [path.join(dir, "a"), path.join(dir, "a/b")];
  expect(removeHidden(shown, [path.join(dir, "a")])).toEqual([]);
});

test("a name that only begins alike is not hidden", () => {
  const dir = plantedDir();
  expect(removeHidden([path.join(dir, "f")], [`${dir}/ff`])).toEqual([path.join(dir, "f")]);
});

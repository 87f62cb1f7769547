import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { openRoot, type Root } from "../fs/paths.ts";
import { createStalenessCheck } from "./staleness.ts";

let top: string;
let project: Root;

beforeEach(() => {
  top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-looks-")));
  fs.mkdirSync(`${top}/project/a/b`, { recursive: true });
  fs.mkdirSync(`${top}/outside/x`, { recursive: true });
  fs.writeFileSync(`${top}/project/a/file`, "");
  fs.symlinkSync("../outside", `${top}/project/out`);
  fs.symlinkSync("a", `${top}/project/in`);
  project = openRoot(`${top}/project`);
});

afterEach(() => {
  fs.closeSync(project.fd);
  fs.rmSync(top, { recursive: true });
});

const KNOWN = ["project", "project/a", "project/a/b", "project/a/file", "project/out", "project/in"];

function whatWasLookedAt(...paths: readonly string[]): string[] {
  const byTime = apartInTime([...KNOWN, "outside", "outside/x"]);
  const seen: string[] = [];
  const looks = createStalenessCheck(project, (changedMs) => seen.push(byTime.get(changedMs) ?? "unknown"));
  for (const each of paths) looks.at(each);
  return seen;
}

/** Each gets a time of its own, by which it is known. */
function apartInTime(names: readonly string[]): ReadonlyMap<number, string> {
  const byTime = new Map<number, string>();
  for (const name of names) {
    const at = `${top}/${name}`;
    do fs.lchownSync(at, process.getuid!(), process.getgid!());
    while (byTime.has(fs.lstatSync(at).ctimeMs));
    byTime.set(fs.lstatSync(at).ctimeMs, name);
  }
  return byTime;
}

test.each<[path: string, looks: string[]]>([
  ["f", ["project"]],
  [".", ["project"]],
  ["a/b/f", ["project", "project/a", "project/a/b"]],
  ["a/b/", ["project", "project/a", "project/a/b"]],
  ["./a//x/../b/f", ["project", "project/a", "project/a/b"]],
  ["a/missing/deep/f", ["project", "project/a"]],
  ["a/file/f", ["project", "project/a", "project/a/file"]],
  ["out/x/f", ["project", "project/out"]],
  ["in/b/f", ["project", "project/in"]],
  ["a/../../outside/x/f", ["project"]],
  ["/etc/ssl/f", ["project"]],
  ["a\0b/f", ["project"]],
])("for %j it looks at %j", (at, looks) => {
  expect(whatWasLookedAt(at)).toEqual(looks);
});

test("the project's own path is understood", () => {
  expect(whatWasLookedAt(`${top}/project/a/b/f`)).toEqual(["project", "project/a", "project/a/b"]);
});

test("a directory is checked once, no matter how much is below it", () => {
  const seen = whatWasLookedAt("a/b/f", "a/b/g", "a/f", "a/b/", "out/x/f", "out/y/f", "f");
  expect(seen).toEqual(["project", "project/a", "project/a/b", "project/out"]);
});

test("a forgotten directory is checked again", () => {
  let count = 0;
  const looks = createStalenessCheck(project, () => count++);
  looks.at("a/f");
  looks.forget();
  looks.at("a/f");
  expect(count).toBe(4);
});

test("a path that is too long is not checked, no matter how many names it has", () => {
  expect(whatWasLookedAt("a/".repeat(LIMITS.maxPathBytes))).toEqual([]);
});

import { expect, test } from "vitest";
import { LIMITS } from "../../../core/limits.ts";
import { isIgnored, NOTHING_IGNORED, rulesFor } from "./ignore-stack.ts";

const gitignore = (text: string) => ({ gitignore: text, ignore: null });
const ignore = (text: string) => ({ gitignore: null, ignore: text });

test("without a file nothing is ignored, and a directory without one has the rules of the one above", () => {
  expect(isIgnored(NOTHING_IGNORED, "a", "a", false)).toBe(false);
  const above = rulesFor(NOTHING_IGNORED, gitignore("a"), "");
  expect(rulesFor(above, { gitignore: null, ignore: null }, "d")).toBe(above);
});

test("rules of a nested directory begin at that directory", () => {
  const stack = rulesFor(NOTHING_IGNORED, gitignore("/a\nb/c"), "d/é");
  expect(isIgnored(stack, "d/é/a", "a", false)).toBe(true);
  expect(isIgnored(stack, "d/é/b/c", "c", false)).toBe(true);
  expect(isIgnored(stack, "d/é/b/a", "a", false)).toBe(false);
});

test("the deepest .gitignore that says something decides", () => {
  const root = rulesFor(NOTHING_IGNORED, gitignore("*.log\n!keep.log"), "");
  const stack = rulesFor(root, gitignore("!a.log\nkeep.log"), "d");
  expect(isIgnored(stack, "d/a.log", "a.log", false)).toBe(false);
  expect(isIgnored(stack, "d/b.log", "b.log", false)).toBe(true);
  expect(isIgnored(stack, "d/keep.log", "keep.log", false)).toBe(true);
  expect(isIgnored(root, "a.log", "a.log", false)).toBe(true);
});

test(".ignore goes before .gitignore of the same directory, either way", () => {
  const wanted = rulesFor(NOTHING_IGNORED, { gitignore: "a", ignore: "!a" }, "");
  const unwanted = rulesFor(NOTHING_IGNORED, { gitignore: "!a", ignore: "a" }, "");
  expect(isIgnored(wanted, "a", "a", false)).toBe(false);
  expect(isIgnored(unwanted, "a", "a", false)).toBe(true);
});

test(".ignore of a directory above goes before .gitignore, as in ripgrep", () => {
  const stack = rulesFor(rulesFor(NOTHING_IGNORED, ignore("!a"), ""), gitignore("a\nb"), "d");
  expect(isIgnored(stack, "d/a", "a", false)).toBe(false);
  expect(isIgnored(stack, "d/b", "b", false)).toBe(true);
});

test("directories and files are distinguished", () => {
  const stack = rulesFor(NOTHING_IGNORED, gitignore("a/"), "");
  expect(isIgnored(stack, "a", "a", true)).toBe(true);
  expect(isIgnored(stack, "a", "a", false)).toBe(false);
});

test.each([
  ["rules", "a\n".repeat(LIMITS.maxIgnoreRules - 1)],
  ["bytes", `a\n${"#".repeat(LIMITS.maxIgnoreBytes - 5)}\n`],
])("the files above a path together have a limit of %s: what is over is passed over", (_, most) => {
  const outer = rulesFor(NOTHING_IGNORED, gitignore(most), "");
  const inner = rulesFor(outer, { gitignore: "b\nc", ignore: "c" }, "d");
  const beside = rulesFor(rulesFor(NOTHING_IGNORED, gitignore("a"), ""), gitignore("b\nc"), "d");
  const ignored = (stack: typeof outer) =>
    ["a", "b", "c"].filter((name) => isIgnored(stack, `d/${name}`, name, false));
  expect(ignored(inner)).toEqual(["a", "b"]);
  expect(ignored(beside)).toEqual(["a", "b", "c"]);
});

import { describe, expect, test } from "vitest";
import { IGNORE_TABLE } from "../../../../test/kit/models/ignore-table.ts";
import { LIMITS } from "../../../core/limits.ts";
import { parseIgnoreRules } from "./ignore-rules.ts";

const ROOM = { bytes: LIMITS.maxIgnoreBytes, rules: LIMITS.maxIgnoreRules };

/** A path that ends with a slash is a directory. */
function said(rules: string, shown: string): 1 | -1 | 0 {
  const path = shown.replace(/\/$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return parseIgnoreRules(rules, ROOM).test(path, name, path !== shown);
}

describe("a rule of .gitignore", () => {
  test.each(IGNORE_TABLE)("%j", (rules, ignored, other) => {
    expect([...ignored, ...other].filter((path) => said(rules, path) !== 0)).toEqual(ignored);
  });

  test.each<readonly [rules: string, path: string, verdict: 1 | -1 | 0]>([
    ["*.b\n!a.b", "a.b", -1],
    ["!a.b\n*.b", "a.b", 1],
    ["*\n!*.b", "a.b", -1],
    ["!*.b\n?.b", "a.b", 1],
    ["?.b\n!*.b", "a.b", -1],
    ["/a.b\n!a.b", "a.b", -1],
    ["a\n!a/", "a", 1],
    ["a\n!a/", "a/", -1],
    ["!a/\na", "a/", 1],
    ["*a\n!*a/", "a", 1],
    ["*a\n!*a/", "a/", -1],
    ["!!a", "!a", -1],
  ])("is overruled by a later one: %j on %s", (rules, path, verdict) => {
    expect(said(rules, path)).toBe(verdict);
  });

  test("named like a member of every object means only itself", () => {
    expect(said("a", "constructor")).toBe(0);
    expect(said("constructor", "constructor")).toBe(1);
  });

  test.each([
    ["stars", `${"*a".repeat(60)}*b*`, "a".repeat(255)],
    ["one star and many bytes", `*${"a".repeat(127)}b*`, "a".repeat(255)],
    ["double stars", `**/${"a/**/".repeat(60)}b`, "a/".repeat(2000)],
    ["stars in many names", `**/${"*a*a*/".repeat(40)}b`, `${"a".repeat(50)}/`.repeat(80)],
    ["classes", `${"*[!b-z]".repeat(60)}b*`, "a".repeat(255)],
  ])("that would hang a backtracking matcher is answered: %s", (_, rule, path) => {
    expect(said(`${rule}\n!x`, `${path}c`)).toBe(0);
  });
});

describe("a .gitignore file over the limits", () => {
  const { maxIgnoreBytes, maxIgnoreLineBytes, maxIgnoreRules } = LIMITS;

  test("has no effect by a line that is too long, only by the others", () => {
    const longest = `*${"[a]".repeat((maxIgnoreLineBytes - 1) / 3)}`;
    expect(longest.length).toBe(maxIgnoreLineBytes);
    const path = "a".repeat((maxIgnoreLineBytes - 1) / 3);
    expect(said(longest, path)).toBe(1);
    expect(said(`*${longest}\nb`, path)).toBe(0);
    expect(said(`*${longest}\nb`, "b")).toBe(1);
  });

  test("has no more rules than the limit", () => {
    const rules = `${"a\n".repeat(maxIgnoreRules - 1)}b\nc`;
    expect(["a", "b", "c"].map((path) => said(rules, path))).toEqual([1, 1, 0]);
  });

  test("is read up to its last whole line within the limit", () => {
    const rules = `a\n${"#\n".repeat(maxIgnoreBytes / 2 - 3)}bbb\nc`;
    expect(["a", "b", "bb", "bbb", "c"].map((path) => said(rules, path))).toEqual([1, 0, 0, 1, 0]);
    expect(said(`#${rules}`, "bbb")).toBe(0);
    expect(said(`#${rules}`.slice(0, maxIgnoreBytes), "bbb")).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { compilePathPattern, findPathPatternFault } from "./path-pattern.ts";

describe("a path pattern", () => {
  test.each([
    ["src/**", ["src", "src/a", "src/a/b.ts", "src/.env", "src/a\nb/c"], [".", "srcs/a", "a/src/b", "SRC/a"]],
    ["**", [".", "", "a", "a/b", ".a/.b"], []],
    ["*", ["a", ".a"], [".", "", "a/b"]],
    ["**/*.ts", ["a.ts", "a/b.ts", ".a/b.ts"], ["a.tsx", "a.ts/b"]],
    ["a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["a", "z", "a/b/z/c"]],
    ["*.{ts,js}", ["a.ts", "a.js"], ["a.css", "a/b.ts"]],
    ["app/(auth)/[id]/**", ["app/(auth)/[id]/page.tsx", "app/(auth)/i/page.tsx"], ["app/auth/[id]/page.tsx"]],
    ["file?.txt", ["file1.txt", "file\u{1f600}.txt", "file\udc80.txt"], ["file.txt", "file12.txt"]],
    [".", ["."], ["a", ".a"]],
    ["!a", ["!a"], ["a", "b"]],
  ])("%s covers what it says and nothing else", (pattern, covered, other) => {
    const matches = compilePathPattern(pattern);
    expect(covered.filter((path) => !matches(path))).toEqual([]);
    expect(other.filter(matches)).toEqual([]);
  });

  test("is not slowed down by a path that was made for it", () => {
    const hostile = [
      ["*a*a*a*a*a*a*b", "a".repeat(4000)],
      ["**/a/**/a/**/a/**/b", "a/".repeat(2000)],
    ] as const;
    for (const [pattern, path] of hostile) expect(compilePathPattern(pattern)(path)).toBe(false);
  });

  test.each([
    ["", 'it is empty; write "**" for every path'],
    ["/etc/**", 'paths are relative to the workspace; write "etc/**"'],
    ["/", 'paths are relative to the workspace; write "**"'],
    ["~/x", 'paths are relative to the workspace; write "x"'],
    ["~", 'paths are relative to the workspace; write "**"'],
    ["../x", 'no path of the workspace has ".." in it; write it from the workspace\'s root, like "src/**"'],
    ["a/../b", 'no path of the workspace has ".." in it; write it from the workspace\'s root, like "src/**"'],
    ["src/", 'no path ends in "/"; write "src/**"'],
    ["a//b", 'no path has an empty name or "." in it; write "a/b"'],
    ["a/./b", 'no path has an empty name or "." in it; write "a/b"'],
    ["src\\a", 'paths have "/" between names; write "src/a"'],
    ["src/**.ts", '"**" stands for whole directories, not for a part of a name; write it like "src/**/*.ts"'],
    ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "it has too many alternatives in braces; write several patterns"],
  ])("that can never match says why: %j", (pattern, fault) => {
    expect(findPathPatternFault(pattern)).toBe(fault);
  });

  test.each([
    "src/**",
    "./src/**",
    ".",
    "**",
    "a/~",
    "..a",
    "a..b/*",
    "@project/src/**",
    "\\[id\\]",
    "{a/**,b}",
  ])("that can match has no fault: %s", (pattern) => {
    expect(findPathPatternFault(pattern)).toBeNull();
  });
});

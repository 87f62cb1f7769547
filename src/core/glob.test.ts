import { describe, expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

const TABLE: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] =
  [
    ["a.ts", ["a.ts"], ["A.ts", "a_ts", "b/a.ts", "a.ts/b", ""]],
    ["*", ["a", ".hidden", "ü"], ["a/b"]],
    ["*.ts", ["a.ts", ".ts"], ["a.js", "d/a.ts"]],
    ["a*b*c", ["abc", "aXbYc", "abbcbc"], ["ab", "acb"]],
    ["?", ["a", "ü", "😀"], ["", "ab", "/"]],
    ["a?c", ["abc"], ["ac", "a/c"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "x", "-x"]],
    ["[!a-c]x", ["dx"], ["ax"]],
    ["[^a]", ["b"], ["a", "/"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["[a", ["[a"], ["a"]],
    ["src/**", ["src/a", "src/a/b/c"], ["lib/a", "a/src/b"]],
    ["**/x", ["x", "a/x", "a/b/x"], ["a/x/y", "ax"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "b", "a/bb"]],
    ["**", ["a", "a/b"], []],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["{a,b}.ts", ["a.ts", "b.ts"], ["c.ts", "{a,b}.ts"]],
    ["x{,.d}.ts", ["x.ts", "x.d.ts"], ["x.e.ts"]],
    ["{a,{b,c}d}/e", ["a/e", "bd/e", "cd/e"], ["b/e"]],
    ["{a/b,c}/*.md", ["a/b/x.md", "c/x.md"], ["a/x.md"]],
    ["{a}", ["{a}"], ["a"]],
    ["\\*", ["*"], ["a"]],
    ["\\{a,b}", ["{a,b}"], ["a", "b"]],
    ["a\\", ["a\\"], ["a"]],
  ];

describe("a glob", () => {
  test.each(TABLE)("%s", (pattern, matching, other) => {
    const matches = compileGlob(pattern);
    expect([...matching, ...other].filter(matches)).toEqual(matching);
  });

  test("with more alternatives than the limit is refused", () => {
    expect(() => compileGlob("{a,b}".repeat(5))).not.toThrow();
    expect(() => compileGlob("{a,b}".repeat(6))).toThrow(
      /^The glob "(\{a,b\})+" has more than 32 alternatives\.$/,
    );
  });

  test.each([
    ["stars", "*a".repeat(50), "a".repeat(5000)],
    ["double stars", "**/a/".repeat(50), "a/".repeat(2000)],
    ["stars in many names", "*a*/".repeat(50), `${"a".repeat(80)}/`.repeat(49)],
  ])("that would hang a backtracking matcher is answered: %s", (_, pattern, path) => {
    expect(compileGlob(pattern)(`${path}b`)).toBe(false);
  });
});

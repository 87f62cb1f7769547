import { describe, expect, test } from "vitest";
import { matchesCommand } from "./command-pattern.ts";

describe("a pattern on a command line", () => {
  test.each([
    ["git diff *", "git diff", true],
    ["git diff *", "git diff --stat a b", true],
    ["git diff *", "  git   diff\t--stat ", true],
    ["git diff *", "git difftool", false],
    ["git diff *", "git", false],
    ["git diff", "git diff --stat", false],
    ["npm run test:*", "npm run test:unit -- --watch", true],
    ["npm run test:*", "npm run test", false],
    ["*", "anything at all", true],
    ["* --force", "git push --force", true],
    ["* --force", "--force", false],
    ["a*a", "a", false],
    ["a*a", "aba", true],
    ["a*b*a", "ab", false],
    ["git diff *", "git\u00a0diff x", false],
  ])("%j over %j: %s, whatever the decision", (pattern, line, matched) => {
    expect(matchesCommand(pattern, "allow", line)).toBe(matched);
    expect(matchesCommand(pattern, "deny", line)).toBe(matched);
    expect(matchesCommand(pattern, "ask", line)).toBe(matched);
  });

  const LINES = [
    "git diff; rm -rf x",
    "git diff && rm -rf x",
    "git diff & rm -rf x",
    "git diff | rm -rf x",
    "git diff\nrm -rf x",
    "git diff `rm -rf x`",
    "git diff $(rm -rf x)",
    "git diff <(rm -rf x)",
    "(rm -rf x)",
  ];

  test.each(LINES)("as an allow is not fooled by an operator: %j", (line) => {
    expect(matchesCommand("git diff *", "allow", line)).toBe(false);
    expect(matchesCommand("*", "allow", line)).toBe(false);
  });

  test.each(LINES)("as a deny or an ask finds the command behind an operator: %j", (line) => {
    expect(matchesCommand("rm *", "deny", line)).toBe(true);
    expect(matchesCommand("rm *", "ask", line)).toBe(true);
  });

  test("as a deny may span operators", () => {
    expect(matchesCommand("curl * | sh", "deny", "curl http://x |  sh")).toBe(true);
    expect(matchesCommand("curl * | sh", "deny", "curl http://x > y")).toBe(false);
  });

  test("is not slowed down by a line that was made for it", () => {
    const line = "a ".repeat(2_000_000);
    expect(matchesCommand("*a*a*a*a*a*b*", "deny", line)).toBe(false);
  });
});

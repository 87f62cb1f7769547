import { describe, expect, test } from "vitest";
import { commandTexts, findCovering, findRestricted } from "./command-pattern.ts";
import { readCommandLine } from "./shell/read-command-line.ts";

const covers = (pattern: string, line: string): boolean => {
  const read = readCommandLine(line);
  return read.readable && read.commands.every((command) => findCovering([pattern], command) === pattern);
};
const restricts = (pattern: string, line: string): boolean =>
  findRestricted(pattern, commandTexts(readCommandLine(line))) !== null;

describe("a pattern on a command", () => {
  test.each([
    ["git diff *", "git diff", true],
    ["git diff *", "git diff --stat a b", true],
    ["git diff *", "  git   diff\t--stat ", true],
    ["git diff *", "'g'it \"diff\" x", true],
    ["git diff *", "git difftool", false],
    ["git diff *", "git", false],
    ["git diff", "git diff --stat", false],
    ["git", "git", true],
    ["git", "git diff", false],
    ["git *", "git", true],
    ["npm run test:*", "npm run test:unit -- --watch", true],
    ["npm run test:*", "npm run test", false],
    ["*", "anything at all", true],
    ["git*", "gitk --all", true],
    ["* --force", "git push --force", true],
    ["* --force", "--force", false],
    ["a*a", "a", false],
    ["a*a", "aba", true],
    ["a*b*a", "ab", false],
    ["./build.sh *", "./build.sh x", true],
    ["git commit -m 'a b'", "git commit -m 'a b'", true],
    ["git diff *", "git\u00a0diff x", false],
    ["git diff *", "Git diff", false],
  ])("%j over %j: %s, whatever the decision", (pattern, line, matched) => {
    expect(covers(pattern, line)).toBe(matched);
    expect(restricts(pattern.replaceAll("'", ""), line)).toBe(matched);
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
    "env rm -rf x",
    "git diff | xargs rm -rf x",
    "sh -c 'rm -rf x'",
    "/bin/rm -rf x",
    "r''m -rf x",
  ];

  test.each(LINES)("as an allow covers one command and not the one beside it: %j", (line) => {
    expect(covers("git diff *", line)).toBe(false);
  });

  test.each(LINES)("as a deny or an ask finds the command wherever it stands: %j", (line) => {
    expect(restricts("rm *", line)).toBe(true);
  });

  test.each([
    ["git *", "/usr/bin/git x"],
    ["git *", "./git x"],
    ["*", "./git x"],
    ["git *", "'git x'"],
    ["git *", "$'git' x"],
    ["git *", "g?t x"],
    ["git *", "$X"],
    ["git log", "git 'log x'"],
    ["git log x", "git 'log x'"],
    ["git log *.ts", "git log $X.ts"],
    ["git log *$X", "git log $X"],
  ])(
    "as an allow takes no other spelling for the command's word and no unknown for a known: %j, %j",
    (pattern, line) => {
      expect(covers(pattern, line)).toBe(false);
    },
  );

  test.each(["echo 'rm -rf x'", "git commit -m 'rm -rf x'", "cat <<'E'\nrm -rf x\nE", "ls # rm -rf x"])(
    "as a deny is not about text: %j",
    (line) => {
      expect(restricts("rm *", line)).toBe(false);
    },
  );

  test("as a deny may span operators", () => {
    expect(restricts("curl * | sh", "curl http://x |  sh")).toBe(true);
    expect(restricts("curl * | sh", "curl http://x > y")).toBe(false);
  });

  test("as a deny is tried on the pieces of a line that can't be parsed", () => {
    expect(restricts("rm *", "ls; rm -rf 'x")).toBe(true);
    expect(restricts("rm *", "ls 'rm -rf x")).toBe(false);
  });

  test("is not slowed down by a line that was made for it", () => {
    const line = "a ".repeat(2_000_000);
    expect(restricts("*a*a*a*a*a*b*", line)).toBe(false);
  });
});

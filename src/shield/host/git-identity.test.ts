import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { gitConfigText, parseGitIdentity, readGitIdentity } from "./git-identity.ts";

describe("git's name and email", () => {
  test.each([
    ["[user]\n\tname = Ada\n\temail = ada@example.org\n", "Ada", "ada@example.org"],
    ["[core]\nname = x\n[USER]\n  Name=Ada Lovelace ; comment\n  EMAIL = a@b # c", "Ada Lovelace", "a@b"],
    ['[user] name = "Ada \\"the\\" L; x"\n', 'Ada "the" L; x', null],
    ["[user]\nname = A\\\nda\n", "Ada", null],
    ["[user]\nname = one\nname = two\n", "two", null],
    ['[user "sub"]\nname = x\n', null, null],
    ['[include]\npath = /etc/passwd\n[includeIf "gitdir:/"]\npath = x\n', null, null],
    ["name = x\nemail = y\n", null, null],
    ["[user]\nname = <evil>\nemail = a@b\n", null, "a@b"],
    ["[user]\nname = a\x1b[2Jb\nemail = \u202ea\n", null, null],
    [`[user]\nname = ${"x".repeat(257)}\n`, null, null],
    ["[user\nname = x\n", null, null],
    ["[user]\nname\nemail =\n", null, null],
    ["[user]\r\nname = Ada\r\n\0\xff[user]x", "Ada", null],
    ["", null, null],
  ])("of %j are %s and %s", (text, name, email) => {
    expect(parseGitIdentity(text)).toEqual({ name, email });
  });

  test("are read in linear time from hostile text", () => {
    for (const piece of ["[user]\nname = \\", '"\\', "[user]", "\\\n", "[", "#;"])
      expect(parseGitIdentity(piece.repeat(30_000))).toBeDefined();
  });

  test("come from ~/.gitconfig before XDG's; a FIFO, a directory and a missing file have none", () => {
    const home = tempDir();
    expect(readGitIdentity({}, home)).toEqual({ name: null, email: null });
    fs.mkdirSync(path.join(home, ".config/git"), { recursive: true });
    fs.writeFileSync(path.join(home, ".config/git/config"), "[user]\nname = x\nemail = e@f\n");
    fs.writeFileSync(path.join(home, ".gitconfig"), "[user]\nname = Ada\n");
    expect(readGitIdentity({}, home)).toEqual({ name: "Ada", email: "e@f" });
    expect(readGitIdentity({ XDG_CONFIG_HOME: path.join(home, "none") }, home)).toEqual({
      name: "Ada",
      email: null,
    });
    fs.rmSync(path.join(home, ".gitconfig"));
    fs.mkdirSync(path.join(home, ".gitconfig"));
    expect(readGitIdentity({}, home)).toEqual({ name: "x", email: "e@f" });
  });

  test("are written so that git reads the same", () => {
    expect(gitConfigText({ name: null, email: null })).toBe("");
    const identity = { name: 'A "b" \\ ; c', email: "a@b" };
    expect(gitConfigText(identity)).toBe('[user]\n\tname = "A \\"b\\" \\\\ ; c"\n\temail = "a@b"\n');
    expect(parseGitIdentity(gitConfigText(identity))).toEqual(identity);
  });
});

import { describe, expect, test } from "vitest";
import { HotcellError } from "../core/errors.ts";
import { parseRule, parseRules } from "./rule.ts";
import { KNOWN_TOOLS } from "./tool-names.ts";

const PLACE = { source: "hotcell.config.json", line: 4 };

const refusal = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof HotcellError) {
      return { code: error.code, message: error.message, details: error.details };
    }
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("a rule", () => {
  test.each([
    ["allow write_file(src/**)", "allow", "write_file", "src/**"],
    ["deny run_command(git push *)", "deny", "run_command", "git push *"],
    ["deny run_command( git   push * )", "deny", "run_command", "git push *"],
    ["ask *", "ask", "*", null],
    ["  allow   read_file ", "allow", "read_file", null],
    ["allow write_file(./src/**)", "allow", "write_file", "src/**"],
    ["allow fs_read(@project/**)", "allow", "fs.read", "@project/**"],
    ["allow fs.apply_patch", "allow", "fs.apply_patch", null],
    ["allow time_now", "allow", "time.now", null],
    ["allow write_file(app/(auth)/**)", "allow", "write_file", "app/(auth)/**"],
    ["deny bash(echo $(*))", "deny", "bash", "echo $(*)"],
  ])("is read: %s", (text, decision, tool, pattern) => {
    expect(parseRule(text, PLACE)).toEqual({
      decision,
      tool,
      pattern,
      origin: { text, ...PLACE },
      matches: expect.any(Function),
    });
  });

  test.each(KNOWN_TOOLS.map(({ name }) => name))("may name %s, and its form on the wire", (name) => {
    expect(parseRule(`allow ${name}`, PLACE).tool).toBe(name);
    expect(parseRule(`allow ${name.replace(".", "_")}`, PLACE).tool).toBe(name);
  });

  test("without a pattern is about every path and command", () => {
    expect(parseRule("allow read_file", PLACE).matches("any/path")).toBe(true);
    expect(parseRule("allow run_command", PLACE).matches("a; b")).toBe(true);
    expect(parseRule("deny *", PLACE).matches("a\x1bb")).toBe(true);
  });

  test.each(["allow *", "allow run_command", "allow read_file(**)"])(
    "that allows never covers control characters: %s",
    (text) => {
      const rule = parseRule(text, PLACE);
      expect(rule.matches("git x")).toBe(true);
      expect(["git \x1b[2J", "git \0", "git \r", "git \x7f", "git \x9b"].filter(rule.matches)).toEqual([]);
    },
  );

  test("may name a tool of the caller's own", () => {
    const tools = [{ name: "deploy.now", subject: "command", danger: "dangerous" }] as const;
    expect(parseRule("deny deploy_now(prod *)", PLACE, tools).tool).toBe("deploy.now");
    expect(parseRule("deny deploy.now(prod *)", PLACE, tools).pattern).toBe("prod *");
    expect(refusal(() => parseRule("deny deploy", PLACE, [...tools, ...tools])).message).toMatch(
      /perhaps "deploy\.now"\.$/,
    );
  });

  test.each([
    ["permit x", 'it begins with "permit"; begin with "allow", "ask" or "deny"'],
    ["Allow read_file", 'it begins with "Allow"; begin with "allow", "ask" or "deny"'],
    ["", 'it begins with ""; begin with "allow", "ask" or "deny"'],
    ["allow", '"allow" must be followed by one tool, and maybe a pattern: "allow write_file(src/**)"'],
    [
      "allow (src/**)",
      '"allow" must be followed by one tool, and maybe a pattern: "allow write_file(src/**)"',
    ],
    ["deny a b", '"deny" must be followed by one tool, and maybe a pattern: "deny write_file(src/**)"'],
    ["ask bash(a) x", '"ask" must be followed by one tool, and maybe a pattern: "ask write_file(src/**)"'],
    ["allow write_file(src/**", 'its parentheses do not pair; write it like "allow write_file(src/**)"'],
    ["allow write_file)src(", 'its parentheses do not pair; write it like "allow write_file(src/**)"'],
    ["allow raed_file", 'no tool is called "raed_file"; perhaps "read_file" or "write_file" or "find_files"'],
    [
      "allow constructor",
      `no tool is called "constructor"; the tools are ${KNOWN_TOOLS.map(({ name }) => name).join(", ")}`,
    ],
    ["allow write_file()", 'its pattern is empty; write "allow write_file" for every call of that tool'],
    ["allow write_file( )", 'its pattern is empty; write "allow write_file" for every call of that tool'],
    ["deny time.now(x)", 'time.now has no argument that a pattern could match; write "deny time.now"'],
    ["deny web_search(x)", 'web_search has no argument that a pattern could match; write "deny web_search"'],
    [
      "deny *(src/**)",
      '"*" takes no pattern, because a pattern means a path for one tool and a command for another; name the tool',
    ],
    [
      "deny read_file(/etc/**)",
      'its pattern can never match: paths are relative to the workspace; write "etc/**"',
    ],
    [
      "deny read_file(../x)",
      'its pattern can never match: no path of the workspace has ".." in it; write it from the workspace\'s root, like "src/**"',
    ],
    [
      "allow bash(a | b)",
      'its pattern can never match: an allow rule covers one command, without shell operators; write one allow rule for each command, like "allow run_command(git diff *)"',
    ],
    [
      "allow bash(./bin/* x)",
      'its pattern can never match: in an allow rule, "*" does not match the path of a program; write the whole path',
    ],
    ["deny bash(a\nb)", "it has a control character in it; write it on one line"],
  ])("that can't be read or can never match is refused with what to write: %j", (text, problem) => {
    expect(refusal(() => parseRule(text, PLACE))).toEqual({
      code: "POLICY_INVALID",
      message: `Could not load the rule ${JSON.stringify(text)} at hotcell.config.json:4: ${problem}.`,
      details: { text, ...PLACE },
    });
  });
});

describe("rules together", () => {
  const load = (...texts: string[]) =>
    parseRules(texts.map((text, index) => ({ text, source: "hotcell.config.json", line: index + 1 })));

  test("keep their order", () => {
    const rules = load("allow write_file(src/**)", "deny write_file(src/gen/**)", "ask run_command");
    expect(rules.map(({ origin }) => origin.line)).toEqual([1, 2, 3]);
  });

  test.each([
    [
      ["allow read_file", "allow read_file"],
      2,
      "hotcell.config.json:1 has the same rule; remove one of them",
    ],
    [
      ["allow fs.read(@project/a)", "allow fs_read(./@project/a)"],
      2,
      "hotcell.config.json:1 has the same rule; remove one of them",
    ],
    [["allow bash(a)", "deny bash(a)"], 1, overruled('"deny bash(a)"', 2)],
    [["ask bash(a)", "allow bash(a)"], 2, overruled('"ask bash(a)"', 1)],
    [["deny *", "allow read_file"], 2, overruled('"deny *"', 1)],
    [["allow write_file(src/**)", "deny write_file"], 1, overruled('"deny write_file"', 2)],
  ])("are refused when one has no effect: %j", (texts, line, problem) => {
    const text = texts[line - 1]!;
    expect(refusal(() => load(...texts))).toEqual({
      code: "POLICY_INVALID",
      message: `Could not load the rule ${JSON.stringify(text)} at hotcell.config.json:${line}: ${problem}.`,
      details: { text, source: "hotcell.config.json", line },
    });
  });

  function overruled(winner: string, line: number): string {
    return `it never applies, because ${winner} (hotcell.config.json:${line}) is stronger (deny, then ask, then allow); remove one of them`;
  }

  test.each([
    [["allow *", "deny read_file"]],
    [["allow read_file", "deny write_file"]],
    [["allow write_file", "deny write_file(src/**)"]],
    [["deny write_file(a)", "allow write_file(b)"]],
  ])("are taken when each can win: %j", (texts) => {
    expect(load(...texts)).toHaveLength(2);
  });
});

// Lines whose words only the running shell knows, under deny rules with arguments.
import { describe, expect, test } from "vitest";
import type { Verdict } from "../core/types.ts";
import { judge } from "./judge.ts";
import { parseRules } from "./rule.ts";

function decide(line: string, ...texts: string[]): Verdict["decision"] {
  const rules = parseRules(texts.map((text) => ({ text, source: "options" })));
  const call = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;
  return judge({ ...call, subjects: [line] }, { trust: "autonomous", rules }).decision;
}

describe("a deny rule for a command with arguments", () => {
  const rule = "deny run_command(git log *)";

  test.each(["git log", "git $'log'", "git log --oneline", "git -C . log", "git log $x"])(
    "denies %j",
    (line) => {
      expect(decide(line, rule)).toBe("deny");
    },
  );

  test.each([
    "git {log,--oneline}",
    "git ${x:-log} --oneline",
    "x=log; git $x --oneline",
    "x=log; git -C . $x",
    "x='log --oneline'; git $x",
    'git "$x"',
    "git `echo log`",
    "git l$x",
    "git $x log",
    "git lo? --oneline",
    "git [l]og",
    "git [[:alpha:]]og",
    "git @(l@(og))",
    "git +(l)$x",
    "git *",
    "git @(log)",
    "echo log --oneline | xargs git",
    'g(){ git "$@"; }; g log --oneline',
    "git --no-pager $x log",
    "/usr/bin/git $x",
    "sh -c 'git $0' log",
  ])("asks for %j, which may be such a command", (line) => {
    expect(decide(line, rule)).toBe("ask");
  });

  test.each([
    'git status "$x"',
    'git commit -m "$(cat message)"',
    "git add *.ts",
    "git p$x",
    "git *.log",
    "gitk $x",
    "ls $x",
    "for f in *; do cat $f; done",
    "x=log; echo $x",
  ])("leaves %j alone, which can't be one", (line) => {
    expect(decide(line, rule)).toBe("allow");
  });

  test("asks where a word may vanish", () => {
    expect(decide("git push $x", "deny run_command(git push)")).toBe("ask");
    expect(decide("git $x push", "deny run_command(git push)")).toBe("ask");
    expect(decide("git push $x y", "deny run_command(git push)")).toBe("allow");
  });

  test("with a star in its middle asks for what the star and the words after it may hold", () => {
    expect(decide('git push "$x"', "deny run_command(git push *--force*)")).toBe("ask");
    expect(decide("rm *.o", "deny run_command(rm -rf *)")).toBe("allow");
    expect(decide("rm *", "deny run_command(rm -rf *)")).toBe("ask");
  });
});

test("an ask rule holds for what may be its command, too, and an allow rule does not come before it", () => {
  expect(decide("npm $x", "ask run_command(npm publish *)")).toBe("ask");
  expect(decide("npm $x", "ask run_command(npm publish *)", "allow run_command(npm *)")).toBe("ask");
  expect(decide("npm $x", "allow run_command(npm *)")).toBe("allow");
});

test("a redirect whose target the shell expands asks if a rule restricts writes", () => {
  const rule = "deny write_file(gen/**)";
  expect(decide("echo hi > gen/f", rule)).toBe("deny");
  expect(decide("echo hi > ${x:-gen}/f", rule)).toBe("ask");
  expect(decide("echo hi > ge?/f", rule)).toBe("ask");
  expect(decide("echo hi > out/f", rule)).toBe("allow");
  expect(decide("echo hi > $x/f")).toBe("allow");
});

test.each([
  ["one command", `git ${"$a x ".repeat(26_000)}`],
  ["many commands", Array.from({ length: 12_000 }, (_, at) => `git $x${at}`).join(";")],
])("a line of 128 KiB with %s of unknown words is judged in bounded time", (_, line) => {
  const rules = Array.from({ length: 20 }, (_, at) => `deny run_command(git y${at} ${"x *".repeat(20)})`);
  expect(decide(line, ...rules)).toBe("ask");
  const others = Array.from({ length: 20 }, (_, at) => `deny run_command(git *${"x *".repeat(20)} ${at}z)`);
  expect(["ask", "allow"]).toContain(decide(line, ...others));
});

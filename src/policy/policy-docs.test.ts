import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findFault } from "../config/find-fault.ts";
import { CONFIG_SCHEMA } from "../config/schema.ts";
import { BLOCKED_COMMANDS } from "./blocked-command.ts";
import { judge } from "./judge.ts";
import { readPolicyTest, runPolicyTest } from "./policy-test.ts";
import { parseRule, parseRules } from "./rule.ts";

const page = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1]!);

describe("docs/policy.md", () => {
  const configs = blocks.filter((block) => !block.includes('"tests"')).map((block) => JSON.parse(block));

  test("shows configurations that load", () => {
    expect(configs).toHaveLength(2);
    for (const config of configs) {
      expect(findFault(config, CONFIG_SCHEMA)).toBeNull();
      parseRules((config.rules ?? []).map((text: string) => ({ text, source: "docs/policy.md" })));
    }
  });

  test("shows rules that load", () => {
    const rules = [...page.matchAll(/`((?:allow|ask|deny) [^`]+)`/g)].map((match) => match[1]!);
    expect(rules.length).toBeGreaterThan(8);
    for (const rule of rules) parseRule(rule, { source: "docs/policy.md" });
  });

  test("shows a policy test that passes", () => {
    const file = readPolicyTest(blocks.find((block) => block.includes('"tests"'))!, "docs/policy.md");
    const policy = { trust: file.trust ?? "guided", rules: parseRules(file.rules ?? []) } as const;
    const results = runPolicyTest(file, (tool, args) => {
      const subjects = [String(args.path)];
      return judge({ tool, danger: "dangerous", effect: "change", subjects, protection: "none" }, policy);
    });
    expect(results.map(({ problem }) => problem)).toEqual([null, null, null]);
  });

  test("shows what becomes of command lines, as it is decided", () => {
    const rows = [...page.matchAll(/^\| `(.+)` \| (allow|ask|deny): .+ \|$/gm)];
    expect(rows.length).toBeGreaterThan(10);
    const texts = ["allow run_command(git *)", "allow run_command(head *)", "deny run_command(git push *)"];
    const rules = parseRules(texts.map((text) => ({ text, source: "docs/policy.md" })));
    for (const text of texts) expect(page).toContain(`\`${text}\``);
    const call = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;
    const decide = (line: string) =>
      judge({ ...call, subjects: [line] }, { trust: "guided", rules }).decision;
    const lines = rows.map(([, line]) => line!.replaceAll("\\|", "|"));
    expect(lines.map((line) => [line, decide(line)])).toEqual(lines.map((line, at) => [line, rows[at]![2]]));
  });

  test("names every command of the built-in deny list", () => {
    const words = BLOCKED_COMMANDS.map(({ pattern }) => /\w+/.exec(pattern)![0]);
    const line = page.split("\n").find((candidate) => candidate.includes("built-in deny list:"))!;
    expect(words.filter((word) => !line.includes(`\`${word}`))).toEqual([]);
  });
});

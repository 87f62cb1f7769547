import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TRUST_LEVELS, type TrustLevel, type Verdict } from "../../src/core/types.ts";
import { judge } from "../../src/policy/judge.ts";
import { parseRules } from "../../src/policy/rule.ts";

type Text = string | { readonly gen: readonly (readonly [string, number])[] };

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly form: "shell" | "argv";
  readonly command: Text;
  readonly argv: unknown;
  readonly allowlist: readonly string[] | null;
  readonly expected: "allow" | "deny" | "either";
  readonly strict: "allow" | "deny" | "either";
  readonly reason: string;
}

const ROWS: readonly Row[] = readFileSync(new URL("../corpus/commands.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

// A listed wrapper with a command that is not listed: `expected` takes the wrapper's word for it, but it is
// looked through, and then `strict` is the answer.
const LOOKED_THROUGH: readonly string[] = ["cmd-266", "cmd-324", "cmd-325", "cmd-326", "cmd-327", "cmd-354"];

// `printf -v PATH .`: printf is listed, but what it sets decides which programs the line runs.
const SETS_PATH = "cmd-186";

// Whether a program is there, and whether arguments are text, is not for rules to say.
const NO_LINE: readonly string[] = ["cmd-417", "cmd-445", "cmd-446", "cmd-450", "cmd-451"];

const shellRows = ROWS.filter(({ form }) => form === "shell");
const argvRows = ROWS.filter(({ form, id }) => form === "argv" && !NO_LINE.includes(id));

test("every row of the corpus is there", () => {
  expect([ROWS.length, shellRows.length, argvRows.length]).toEqual([309, 269, 35]);
});

describe("under rules for the words of its allowlist, and nothing else", () => {
  test.each(shellRows)("$id $cat, $expected: $reason", (row) => {
    const { decision } = judgeLine(expand(row.command), "guided", row.allowlist);
    expect(acceptable(row)).toContain(decision);
  });

  test.each(argvRows)("$id $cat, $expected: $reason", (row) => {
    const line = (row.argv as readonly string[]).map(quoteWord).join(" ");
    expect(acceptable(row)).toContain(judgeLine(line, "guided", row.allowlist).decision);
  });
});

describe("the built-in deny list alone, with every word allowed by trust", () => {
  // curl, wget, nc and netcat run: rules about the network decide which hosts they reach.
  const CLIENTS: readonly string[] = ["cmd-372", "cmd-373", "cmd-374", "cmd-375", "cmd-391", "cmd-396"];
  // chmod 777 of the project's own file is a command like any other: the list has it only for system paths and homes.
  const OWN_FILE: readonly string[] = ["cmd-371", "cmd-395"];
  const blocked = ROWS.filter(
    ({ cat, id }) => cat === "blocklist" && ![...CLIENTS, ...OWN_FILE].includes(id),
  );

  test("is checked against all of its rows", () => expect(blocked).toHaveLength(7));

  test.each(blocked)("$id $command is denied", ({ command }) => {
    for (const trust of TRUST_LEVELS) {
      const { decision, rule } = judgeLine(expand(command), trust, []);
      expect([decision, rule.source]).toEqual(["deny", "built-in deny list"]);
    }
  });

  // No command of the list is in these lines: only the shield stops what they do.
  const SHIELDED: readonly string[] = ["cmd-386", "cmd-393", "cmd-401", "cmd-404", "cmd-406"];
  const bypasses = ROWS.filter(
    ({ cat, id }) => cat === "blocklist-bypass" && ![...SHIELDED, ...CLIENTS, ...OWN_FILE].includes(id),
  );

  test.each(bypasses)("$id $command is no way round it", ({ command }) => {
    expect(judgeLine(expand(command), "autonomous", []).decision).not.toBe("allow");
  });
});

function judgeLine(line: string, trust: TrustLevel, allowlist: readonly string[] | null): Verdict {
  const texts = (allowlist ?? []).flatMap((word) => [
    `allow run_command(${word})`,
    `allow run_command(${word} *)`,
  ]);
  const rules = parseRules(texts.map((text) => ({ text, source: "allowlist" })));
  const call = { tool: "run_command", danger: "dangerous", effect: "change", protection: "none" } as const;
  return judge({ ...call, subjects: [line] }, { trust, rules });
}

function acceptable({ id, expected, strict }: Row): readonly Verdict["decision"][] {
  const answer = LOOKED_THROUGH.includes(id) || id === SETS_PATH ? strict : expected;
  if (answer === "either") return ["allow", "ask", "deny"];
  return answer === "allow" ? ["allow"] : ["ask", "deny"];
}

function expand(text: Text): string {
  return typeof text === "string" ? text : text.gen.map(([part, count]) => part.repeat(count)).join("");
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

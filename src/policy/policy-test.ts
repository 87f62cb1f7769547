// A policy test is a JSON file of calls and what must become of them. Trust and rules in it stand in place
// of the configured ones.
import { checkJsonText } from "../config/check-json-text.ts";
import { readJson } from "../config/read-json.ts";
import type { Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { type RuleOrigin, TRUST_LEVELS, type TrustLevel, type Verdict } from "../core/types.ts";
import { DECISIONS, type Decision } from "./rule.ts";

export interface PolicyTest {
  readonly trust?: TrustLevel;
  readonly rules?: readonly RuleOrigin[];
  readonly tests: readonly PolicyTestEntry[];
}

interface PolicyTestEntry {
  readonly tool: string;
  readonly arguments?: JsonObject;
  readonly expect: Decision;
  /** A part of the text of the rule that must win. */
  readonly rule?: string;
}

export interface PolicyTestResult {
  readonly entry: PolicyTestEntry;
  /** Null when the call could not be judged at all. */
  readonly verdict: Verdict | null;
  /** What is not as expected; null when the entry holds. */
  readonly problem: string | null;
}

const TEXT: Schema = { type: "string", minLength: 1 };

const ENTRY_SCHEMA: Schema = {
  type: "object",
  required: ["tool", "expect"],
  properties: {
    tool: TEXT,
    arguments: { type: "object" },
    expect: { type: "string", enum: DECISIONS },
    rule: TEXT,
  },
};

const POLICY_TEST_SCHEMA: Schema = {
  type: "object",
  required: ["tests"],
  properties: {
    trust: { type: "string", enum: TRUST_LEVELS },
    rules: { type: "array", items: TEXT, maxItems: 1000 },
    tests: { type: "array", items: ENTRY_SCHEMA, minItems: 1, maxItems: 10_000 },
  },
};

/** Throws CONFIG_INVALID for what is no JSON; POLICY_INVALID, naming the entry, for what is no policy test. */
export function readPolicyTest(text: string, source: string): PolicyTest {
  const json = readJson(text, source);
  checkJsonText(json, POLICY_TEST_SCHEMA, source, "POLICY_INVALID");
  const { rules, ...rest } = json.value as unknown as Omit<PolicyTest, "rules"> & {
    rules?: readonly string[];
  };
  if (rules === undefined) return rest;
  return {
    ...rest,
    rules: rules.map((rule, index) => ({ text: rule, source, line: json.lineOf(["rules", index]) })),
  };
}

/** `explain` decides under the file's trust and rules; it may throw a HotcellError for what is no call. */
export function runPolicyTest(
  { tests }: PolicyTest,
  explain: (tool: string, args: JsonObject) => Verdict,
): readonly PolicyTestResult[] {
  return tests.map((entry) => {
    try {
      const verdict = explain(entry.tool, entry.arguments ?? {});
      return { entry, verdict, problem: findProblem(entry, verdict) };
    } catch (error) {
      if (!(error instanceof HotcellError)) throw error;
      return { entry, verdict: null, problem: error.message };
    }
  });
}

function findProblem(entry: PolicyTestEntry, { decision, rule }: Verdict): string | null {
  const got = `got ${decision} by ${quote(rule.text)}`;
  if (decision !== entry.expect) return `expected ${entry.expect}, ${got}`;
  if (entry.rule !== undefined && !rule.text.includes(entry.rule)) {
    return `expected ${quote(entry.rule)} to win, ${got}`;
  }
  return null;
}

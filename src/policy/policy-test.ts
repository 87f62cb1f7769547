// A policy test is a JSON file of calls with their expected decisions. The settings in it replace the configured ones.
import { checkJsonText } from "../config/check-json-text.ts";
import { readJson } from "../config/read-json.ts";
import { CONFIG_PROPERTIES, type Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { RuleOrigin, TrustLevel, Verdict } from "../core/types.ts";
import type { ProtectOptions } from "./protected.ts";
import { DECISIONS, type Decision } from "./rule.ts";

export interface PolicyTest {
  readonly trust?: TrustLevel;
  readonly approve?: "effects" | "calls";
  readonly protect?: ProtectOptions;
  readonly rules?: readonly RuleOrigin[];
  readonly tests: readonly PolicyTestEntry[];
}

interface PolicyTestEntry {
  readonly tool: string;
  readonly arguments?: JsonObject;
  readonly expect: Decision;
  /** A part of the text of the rule that must decide. */
  readonly rule?: string;
}

export interface PolicyTestResult {
  readonly entry: PolicyTestEntry;
  /** Null if the call could not be judged. */
  readonly verdict: Verdict | null;
  /** The difference from the expectation; null if the entry passes. */
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
    trust: CONFIG_PROPERTIES.trust,
    approve: CONFIG_PROPERTIES.approve,
    protect: CONFIG_PROPERTIES.protect,
    rules: { type: "array", items: TEXT, maxItems: 1000 },
    tests: { type: "array", items: ENTRY_SCHEMA, minItems: 1, maxItems: 10_000 },
  },
};

/** Throws CONFIG_INVALID if the text is not JSON, and POLICY_INVALID with the entry if it is not a policy test. */
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

/** `explain` decides by the file's settings. It may throw a HotcellError for an invalid call. */
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

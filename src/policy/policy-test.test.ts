import { describe, expect, test } from "vitest";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { DEFAULT_POLICY, type Judged, judge, type Policy } from "./judge.ts";
import { type PolicyTest, readPolicyTest, runPolicyTest } from "./policy-test.ts";
import { parseRules } from "./rule.ts";

const toJudged = (tool: string, args: JsonObject): Judged => {
  if (tool === "nothing") throw new HotcellError("UNKNOWN_TOOL", "No tool is called nothing.");
  const danger = tool === "write_file" ? "dangerous" : "safe";
  return {
    tool,
    danger,
    effect: "change",
    subjects: args.path ? [String(args.path)] : [],
    protection: "none",
  };
};

const run = (file: unknown, configured = DEFAULT_POLICY) =>
  runUnder(readPolicyTest(JSON.stringify(file, null, 1), "t.json"), configured);

const runUnder = (test: PolicyTest, configured: Policy) => {
  const rules = test.rules === undefined ? configured.rules : parseRules(test.rules);
  const policy = { trust: test.trust ?? configured.trust, rules };
  return runPolicyTest(test, (tool, args) => judge(toJudged(tool, args), policy));
};

describe("a policy test", () => {
  test("says for every entry whether it holds", () => {
    const inSrc = { tool: "write_file", arguments: { path: "src/a" } };
    const tests = [
      { ...inSrc, expect: "allow", rule: "src/**" },
      { ...inSrc, expect: "deny" },
      { ...inSrc, expect: "allow", rule: "trust" },
      { tool: "nothing", expect: "allow" },
    ];
    const rule = { text: "allow write_file(src/**)", source: "t.json", line: 4 };
    const reason = 'The rule "allow write_file(src/**)" at t.json:4 allows this call.';
    const verdict = { decision: "allow", rule, reason };
    expect(run({ trust: "supervised", rules: [rule.text], tests })).toEqual([
      { entry: tests[0], verdict, problem: null },
      { entry: tests[1], verdict, problem: 'expected deny, got allow by "allow write_file(src/**)"' },
      {
        entry: tests[2],
        verdict,
        problem: 'expected "trust" to win, got allow by "allow write_file(src/**)"',
      },
      { entry: tests[3], verdict: null, problem: "No tool is called nothing." },
    ]);
  });

  test("tests the configured trust and rules where it has none of its own", () => {
    const configured = {
      trust: "supervised",
      rules: parseRules([{ text: "deny write_file", source: "c" }]),
    } as const;
    const tests = [
      { tool: "write_file", expect: "deny" },
      { tool: "read_file", expect: "ask" },
    ];
    expect(run({ tests }, configured).map(({ problem }) => problem)).toEqual([null, null]);
    const own = run({ trust: "autonomous", rules: [], tests }, configured);
    expect(own.map(({ verdict }) => verdict?.decision)).toEqual(["allow", "allow"]);
  });

  test("lets a bug through instead of counting it as a failed entry", () => {
    const bug = () => {
      throw new TypeError("bug");
    };
    const file = readPolicyTest('{"tests":[{"tool":"a","expect":"deny"}]}', "t.json");
    expect(() => runPolicyTest(file, bug)).toThrow(TypeError);
  });

  const ok = { tool: "read_file", expect: "allow" };
  test.each([
    [[], "it at line 1 is an array of 0; allowed is an object"],
    [{}, 'it at line 1 has no "tests"; give it one'],
    [{ rulez: [] }, '"rulez" at line 2 is no setting; perhaps "rules"'],
    [{ tests: [] }, '"tests" at line 2 is an array of 0; allowed is a list of 1 to 10000'],
    [{ tests: [ok, { tool: "x" }] }, '"tests[1]" at line 7 has no "expect"; give it one'],
    [
      { tests: [{ ...ok, expect: "maybe" }] },
      '"tests[0].expect" at line 5 is "maybe"; allowed are "deny", "ask", "allow"',
    ],
    [
      { tests: [{ ...ok, arguments: [] }] },
      '"tests[0].arguments" at line 6 is an array of 0; allowed is an object',
    ],
    [{ tests: [{ ...ok, rules: "x" }] }, '"tests[0].rules" at line 6 is no setting; perhaps "rule"'],
    [
      { trust: "full", tests: [ok] },
      '"trust" at line 2 is "full"; allowed are "supervised", "guided", "autonomous"',
    ],
  ])("that is wrong is refused, naming the entry: %j", (file, problem) => {
    expect(() => run(file)).toThrow(
      expect.objectContaining({ code: "POLICY_INVALID", message: `Could not use "t.json": ${problem}.` }),
    );
  });

  test("with a rule that can never match is refused at the rule's line", () => {
    expect(() => run({ rules: ["allow read_file", "deny foo"], tests: [ok] })).toThrow(
      expect.objectContaining({
        code: "POLICY_INVALID",
        details: { text: "deny foo", source: "t.json", line: 4 },
      }),
    );
  });
});

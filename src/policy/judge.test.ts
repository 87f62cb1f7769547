import { describe, expect, test } from "vitest";
import { type DangerLevel, TRUST_LEVELS, type TrustLevel, type Verdict } from "../core/types.ts";
import { DEFAULT_POLICY, type Judged, judge } from "./judge.ts";
import { parseRules } from "./rule.ts";

const read: Judged = {
  tool: "read_file",
  danger: "safe",
  effect: "read",
  subjects: ["a"],
  protection: "none",
};
const write: Judged = {
  ...read,
  tool: "write_file",
  danger: "dangerous",
  effect: "change",
  subjects: ["src/a"],
};

const policy = (trust: TrustLevel, ...rules: string[]) => ({
  trust,
  rules: parseRules(rules.map((text, index) => ({ text, source: "hotcell.config.json", line: index + 1 }))),
});

describe("trust levels decide where no rule does", () => {
  test("P0.6 the default policy is guided, without rules", () => {
    expect(DEFAULT_POLICY).toEqual({ trust: "guided", rules: [] });
  });

  const every = "and trust level supervised asks before every call.";
  const none = "and trust level autonomous asks before no call.";
  test.each<[string, TrustLevel, string, DangerLevel, Verdict["decision"], string]>([
    ["AC-21", "guided", "file_read", "safe", "allow", "file_read is safe and no rule restricts it."],
    ["AC-22", "guided", "bash", "dangerous", "ask", "bash is dangerous and no rule allows it."],
    ["AC-23", "autonomous", "file_read", "safe", "allow", `No rule restricts file_read, ${none}`],
    ["AC-23", "autonomous", "bash", "dangerous", "allow", `No rule restricts bash, ${none}`],
    ["004 task 10", "supervised", "file_read", "safe", "ask", `No rule allows file_read, ${every}`],
    ["004 task 10", "supervised", "bash", "dangerous", "ask", `No rule allows bash, ${every}`],
  ])("%s: %s and %s (%s): %s, because %s", (_, trust, tool, danger, decision, why) => {
    const verdict = judge({ ...read, tool, danger, subjects: ["ls"] }, policy(trust));
    const more = ' "ls" in "ls" is not covered by any rule; to allow it add: allow bash(ls)';
    expect(verdict).toEqual({
      decision,
      rule: { text: `trust level ${trust}`, source: "built-in" },
      reason: tool === "bash" && decision === "ask" ? why + more : why,
    });
  });
});

describe("configured rules", () => {
  const verdictOf = (text: string, line: number, decision: Verdict["decision"], does: string): Verdict => ({
    decision,
    rule: { text, source: "hotcell.config.json", line },
    reason: `The rule "${text}" at hotcell.config.json:${line} ${does} this call.`,
  });

  test("deny goes before ask, ask before allow, whatever their order", () => {
    const rules = ["allow write_file", "ask write_file(src/**)", "deny write_file(src/a)"];
    expect(judge(write, policy("guided", ...rules))).toEqual(verdictOf(rules[2]!, 3, "deny", "denies"));
    const b = { ...write, subjects: ["src/b"] };
    expect(judge(b, policy("guided", ...rules))).toEqual(verdictOf(rules[1]!, 2, "ask", "asks before"));
    const c = { ...write, subjects: ["c"] };
    expect(judge(c, policy("guided", ...rules))).toEqual(verdictOf(rules[0]!, 1, "allow", "allows"));
  });

  test.each(TRUST_LEVELS)("hold in trust level %s", (trust) => {
    expect(judge(write, policy(trust, "deny write_file")).decision).toBe("deny");
    expect(judge(write, policy(trust, "ask write_file")).decision).toBe("ask");
    expect(judge(write, policy(trust, "allow write_file")).decision).toBe("allow");
  });

  test("are about their own tool only", () => {
    expect(judge(read, policy("guided", "deny write_file")).rule.text).toBe("trust level guided");
  });

  test("know a tool by both of its names", () => {
    expect(judge({ ...read, tool: "fs_read" }, policy("guided", "deny fs.read")).decision).toBe("deny");
    expect(judge({ ...read, tool: "fs.read" }, policy("guided", "deny fs_read")).decision).toBe("deny");
  });

  test("deny and ask when one spelling matches, allow only when all do", () => {
    const linked = { ...write, subjects: ["link/a", "src/a"] };
    expect(judge(linked, policy("autonomous", "deny write_file(src/**)")).decision).toBe("deny");
    expect(judge(linked, policy("autonomous", "ask write_file(link/**)")).decision).toBe("ask");
    expect(judge(linked, policy("guided", "allow write_file(src/**)")).rule.text).toBe("trust level guided");
    expect(judge(linked, policy("guided", "allow write_file(link/**)")).rule.text).toBe("trust level guided");
    const both = policy("guided", "allow write_file(src/**)", "allow write_file(link/**)");
    expect(judge(linked, both).rule.text).toBe("allow write_file(link/**)");
  });

  test("with a pattern are not about a call without a subject", () => {
    const bare = { ...write, subjects: [] };
    expect(judge(bare, policy("guided", "deny write_file(**)")).rule.text).toBe("trust level guided");
    expect(judge(bare, policy("guided", "allow write_file(**)")).rule.text).toBe("trust level guided");
    expect(judge(bare, policy("guided", "allow write_file")).decision).toBe("allow");
    expect(judge(bare, policy("autonomous", "deny *")).decision).toBe("deny");
  });
});

describe("protected paths that ask", () => {
  const secretary: Judged = { ...write, subjects: ["docs/secretary.md"], protection: "ask" };

  test.each(TRUST_LEVELS)("ask in trust level %s", (trust) => {
    expect(judge(secretary, policy(trust))).toEqual({
      decision: "ask",
      rule: { text: "protected paths", source: "built-in" },
      reason: "The path's name suggests that it contains secrets, so a write needs approval.",
    });
  });

  test("are for writes: trust decides about reads", () => {
    expect(judge({ ...secretary, effect: "read", danger: "safe" }, policy("guided")).decision).toBe("allow");
  });

  test("give way to a configured rule", () => {
    expect(judge(secretary, policy("guided", "allow write_file(docs/**)")).decision).toBe("allow");
    expect(judge(secretary, policy("guided", "deny write_file(docs/**)")).decision).toBe("deny");
  });
});

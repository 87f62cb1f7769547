// Decides whether a call may run. The order is: configured deny, ask, allow; then the built-in deny list, protected
// paths, trust level. The first one with an answer decides, and the verdict names it.
import type { DangerLevel, Effect, TrustLevel, Verdict } from "../core/types.ts";
import { judgeCommand } from "./judge-command.ts";
import type { Protection } from "./protected.ts";
import type { Rule } from "./rule.ts";
import { appliesTo, findTool, KNOWN_TOOLS, type SubjectKind } from "./tool-names.ts";
import { builtInVerdict, ruleVerdict, trustVerdict } from "./verdicts.ts";

/** The properties of a call that rules use. */
export interface Judged {
  readonly tool: string;
  readonly danger: DangerLevel;
  readonly effect: Effect;
  /** The kind of the subjects; if omitted, that of the known tool of that name. */
  readonly subject?: SubjectKind;
  /** Every spelling of the call's subjects: paths as given and as resolved, or the command line. */
  readonly subjects: readonly string[];
  /** `ask` if a write to a protected path needs approval; `commit` if the call may change the project itself. */
  readonly protection: "none" | "ask" | "commit";
  /** All changes of the call stay in the session. */
  readonly contained?: boolean;
}

export interface Policy {
  readonly trust: TrustLevel;
  readonly rules: readonly Rule[];
  /** For redirects of commands; the built-in table of protected paths if omitted. */
  readonly protectionOf?: (path: string) => Protection | null;
}

export const DEFAULT_POLICY: Policy = { trust: "guided", rules: [] };

export function judge(call: Judged, policy: Policy): Verdict {
  const subject = call.subject ?? findTool(call.tool, KNOWN_TOOLS)?.subject;
  if (subject === "command") return judgeCommand(call, policy);
  const rules = policy.rules.filter((rule) => appliesTo(rule.tool, call.tool));
  return (
    byRestriction(call, rules, "deny") ??
    byRestriction(call, rules, "ask") ??
    byAllowance(call, rules) ??
    byProtection(call) ??
    trustVerdict(call, policy.trust)
  );
}

/** A deny or ask rule applies if it matches any spelling. */
function byRestriction(call: Judged, rules: readonly Rule[], decision: "deny" | "ask"): Verdict | null {
  const rule = rules.find((candidate) => candidate.decision === decision && touches(candidate, call));
  return rule ? ruleVerdict(rule) : null;
}

function touches(rule: Rule, call: Judged): boolean {
  return rule.pattern === null || call.subjects.some((subject) => rule.matches(subject));
}

/** An allow rule must match every spelling; otherwise a link would extend the permission to its target. */
function byAllowance(call: Judged, rules: readonly Rule[]): Verdict | null {
  const allows = rules.filter((rule) => rule.decision === "allow");
  if (call.subjects.length === 0) {
    const whole = allows.find((rule) => rule.pattern === null);
    return whole ? ruleVerdict(whole) : null;
  }
  const covering = call.subjects.map((subject) => allows.find((rule) => rule.matches(subject)));
  return covering.every((rule) => rule !== undefined) ? ruleVerdict(covering[0]!) : null;
}

/** A commit asks at every trust level. */
function byProtection(call: Judged): Verdict | null {
  if (call.protection === "commit")
    return builtInVerdict("ask", "commit", "It changes the project itself, so it needs approval.");
  if (call.protection === "none" || call.effect === "read") return null;
  const reason = "The path's name suggests that it contains secrets, so a write needs approval.";
  return builtInVerdict("ask", "protected paths", reason);
}

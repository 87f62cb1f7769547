// May this call run? Configured deny, ask, allow; then the built-in deny list, protected paths, trust.
// The first that has an answer gives it, and the verdict names it.
import { quote } from "../core/quote.ts";
import type { DangerLevel, Effect, TrustLevel, Verdict } from "../core/words.ts";
import { BLOCKED_COMMANDS } from "./builtin.ts";
import { commandTexts, matchesText } from "./command-pattern.ts";
import { formatPlace, type Rule } from "./rule.ts";
import { findTool, isSameTool, KNOWN_TOOLS } from "./tool-names.ts";

/** A call as rules see it. */
export interface Judged {
  readonly tool: string;
  readonly danger: DangerLevel;
  readonly effect: Effect;
  /** Every spelling of what the call touches: paths as given and as resolved, or the command line. */
  readonly subjects: readonly string[];
  /** `ask` when the table of protected paths says that a write asks. */
  readonly protection: "none" | "ask";
  /** Whatever it changes stays in the session. */
  readonly contained?: boolean;
}

export interface Policy {
  readonly trust: TrustLevel;
  readonly rules: readonly Rule[];
}

export const DEFAULT_POLICY: Policy = { trust: "guided", rules: [] };

export function judge(call: Judged, policy: Policy): Verdict {
  const rules = policy.rules.filter((rule) => rule.tool === "*" || isSameTool(rule.tool, call.tool));
  return (
    byRestriction(call, rules, "deny") ??
    byRestriction(call, rules, "ask") ??
    byAllowance(call, rules) ??
    byBuiltinList(call) ??
    byProtection(call) ??
    byTrust(call, policy.trust)
  );
}

/** One spelling is enough to deny or to ask. */
function byRestriction(call: Judged, rules: readonly Rule[], decision: "deny" | "ask"): Verdict | null {
  const rule = rules.find((candidate) => candidate.decision === decision && touches(candidate, call));
  return rule ? ruled(rule) : null;
}

function touches(rule: Rule, call: Judged): boolean {
  return rule.pattern === null || call.subjects.some((subject) => rule.matches(subject));
}

/** Every spelling must be allowed, or a link would carry the permission to where it leads. */
function byAllowance(call: Judged, rules: readonly Rule[]): Verdict | null {
  const allows = rules.filter((rule) => rule.decision === "allow");
  if (call.subjects.length === 0) {
    const whole = allows.find((rule) => rule.pattern === null);
    return whole ? ruled(whole) : null;
  }
  const covering = call.subjects.map((subject) => allows.find((rule) => rule.matches(subject)));
  return covering.every((rule) => rule !== undefined) ? ruled(covering[0]!) : null;
}

function ruled(rule: Rule): Verdict {
  const does = { deny: "denies", ask: "asks before", allow: "allows" }[rule.decision];
  const reason = `The rule ${quote(rule.origin.text)} at ${formatPlace(rule.origin)} ${does} this call.`;
  return { decision: rule.decision, rule: rule.origin, reason };
}

function byBuiltinList(call: Judged): Verdict | null {
  if (findTool(call.tool, KNOWN_TOOLS)?.subject !== "command") return null;
  const texts = call.subjects.flatMap(commandTexts);
  const pattern = BLOCKED_COMMANDS.find((blocked) => texts.some((text) => matchesText(blocked, text)));
  if (pattern === undefined) return null;
  const text = `deny ${call.tool}(${pattern})`;
  const reason = `The built-in deny list has "${pattern}", and no rule allows this command.`;
  return { decision: "deny", rule: { text, source: "built-in deny list" }, reason };
}

function byProtection(call: Judged): Verdict | null {
  if (call.protection === "none" || call.effect === "read") return null;
  const reason = "The path is named like one that holds secrets, so a write to it asks.";
  return { decision: "ask", rule: { text: "protected paths", source: "built-in" }, reason };
}

function byTrust(call: Judged, trust: TrustLevel): Verdict {
  const isAskedFor = trust === "supervised" || (trust === "guided" && call.danger === "dangerous");
  const isContained = trust === "guided" && call.contained === true;
  const rule = { text: `trust level ${trust}`, source: "built-in" };
  const why =
    isAskedFor && isContained
      ? "what it changes stays in the session"
      : `trust level ${trust} ${TRUST_MEANS[trust]}`;
  return {
    decision: isAskedFor && !isContained ? "ask" : "allow",
    rule,
    reason: `No rule is about this call, and ${why}.`,
  };
}

const TRUST_MEANS: Readonly<Record<TrustLevel, string>> = {
  supervised: "asks before every call",
  guided: "asks before dangerous tools only",
  autonomous: "asks before none",
};

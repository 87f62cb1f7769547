// Verdicts that are common to calls on paths and on commands.
import { quote } from "../core/quote.ts";
import type { TrustLevel, Verdict } from "../core/types.ts";
import type { Judged } from "./judge.ts";
import { formatOrigin, type Rule } from "./rule.ts";

/** The source of a verdict that only a configured rule overrides. */
export const BUILTIN_DENY_LIST = "built-in deny list";

export function ruleVerdict(rule: Rule): Verdict {
  const does = { deny: "denies", ask: "asks before", allow: "allows" }[rule.decision];
  const reason = `The rule ${quote(rule.origin.text)} at ${formatOrigin(rule.origin)} ${does} this call.`;
  return { decision: rule.decision, rule: rule.origin, reason };
}

export function builtInVerdict(decision: Verdict["decision"], text: string, reason: string): Verdict {
  return { decision, rule: { text, source: "built-in" }, reason };
}

export function trustVerdict(call: Judged, trust: TrustLevel): Verdict {
  const isAskedFor = trust === "supervised" || (trust === "guided" && call.danger !== "safe");
  const isContained = trust === "guided" && call.contained === true;
  const decision = isAskedFor && !isContained ? "ask" : "allow";
  return builtInVerdict(decision, `trust level ${trust}`, reasonOf(call, trust, isContained));
}

function reasonOf({ tool, danger }: Judged, trust: TrustLevel, isContained: boolean): string {
  if (trust === "supervised")
    return `No rule allows ${tool}, and trust level supervised asks before every call.`;
  if (trust === "autonomous")
    return `No rule restricts ${tool}, and trust level autonomous asks before no call.`;
  if (danger === "safe") return `${tool} is safe and no rule restricts it.`;
  if (isContained) return `No rule restricts ${tool}, and what it changes stays in the session.`;
  return `${tool} is dangerous and no rule allows it.`;
}

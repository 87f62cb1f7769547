// Verdicts that are common to calls on paths and on commands.
import { quote } from "../core/quote.ts";
import type { TrustLevel, Verdict } from "../core/types.ts";
import type { Judged } from "./judge.ts";
import { formatPlace, type Rule } from "./rule.ts";

/** The source of a verdict that only a configured rule overrides. */
export const BUILTIN_DENY_LIST = "built-in deny list";

export function ruled(rule: Rule): Verdict {
  const does = { deny: "denies", ask: "asks before", allow: "allows" }[rule.decision];
  const reason = `The rule ${quote(rule.origin.text)} at ${formatPlace(rule.origin)} ${does} this call.`;
  return { decision: rule.decision, rule: rule.origin, reason };
}

export function builtIn(decision: Verdict["decision"], text: string, reason: string): Verdict {
  return { decision, rule: { text, source: "built-in" }, reason };
}

export function byTrust(call: Judged, trust: TrustLevel): Verdict {
  const isAskedFor = trust === "supervised" || (trust === "guided" && call.danger === "dangerous");
  const isContained = trust === "guided" && call.contained === true;
  const why =
    isAskedFor && isContained
      ? "what it changes stays in the session"
      : `trust level ${trust} ${TRUST_MEANS[trust]}`;
  const decision = isAskedFor && !isContained ? "ask" : "allow";
  return builtIn(decision, `trust level ${trust}`, `No rule is about this call, and ${why}.`);
}

const TRUST_MEANS: Readonly<Record<TrustLevel, string>> = {
  supervised: "asks before every call",
  guided: "asks before dangerous tools only",
  autonomous: "asks before none",
};

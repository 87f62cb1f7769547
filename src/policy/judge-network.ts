// Decides whether a command may connect to a host. Without a rule the answer is no, at every trust level.
import { formatHostPort, type HostPort } from "../core/host-name.ts";
import { quote } from "../core/quote.ts";
import type { Verdict } from "../core/types.ts";
import type { Policy } from "./judge.ts";
import { findNetworkPatternFault, networkRule } from "./network-pattern.ts";
import { type Decision, formatOrigin, type Rule } from "./rule.ts";
import { NETWORK } from "./tool-names.ts";
import { builtInVerdict, ruleVerdict } from "./verdicts.ts";

/** The name of the built-in verdict on a host that no rule opens. */
export const NO_NETWORK = "no network";

export function judgeNetwork(target: HostPort, { rules }: Pick<Policy, "rules">): Verdict {
  const subject = formatHostPort(target);
  const matching = rules.filter(({ tool, matches }) => tool === NETWORK && matches(subject));
  const first = (decision: Decision) => matching.find((rule) => rule.decision === decision);
  const denies = first("deny");
  if (denies) return ruleVerdict(denies);
  const fault = findNetworkPatternFault(subject);
  if (fault !== null) return builtInVerdict("deny", NO_NETWORK, `No rule opens ${quote(subject)}: ${fault}.`);
  if (!matching.some(opensNetwork)) return denied(target, matching[0]);
  return ruleVerdict(first("ask") ?? first("allow")!);
}

/** Whether commands may reach what the rule names. An ask rule that the project brings along only restricts other rules. */
export function opensNetwork({ tool, decision, origin }: Rule): boolean {
  return tool === NETWORK && decision !== "deny" && origin.ofProject !== true;
}

function denied(target: HostPort, ofProject: Rule | undefined): Verdict {
  const rule = networkRule(target);
  const next = rule === null ? "" : ` To allow it: ${quote(rule)}.`;
  const found = ofProject
    ? `Only the project's own rule ${quote(ofProject.origin.text)} at ${formatOrigin(ofProject.origin)}`
    : "No rule";
  const effect = ofProject
    ? ", and such a rule opens no network"
    : ", and commands have no network without one";
  const reason = `${found} is about ${quote(formatHostPort(target))}${effect}.${next}`;
  return builtInVerdict("deny", NO_NETWORK, reason);
}

// Decides whether a command line may run. Every simple command counts, however nested, and every redirect target counts
// as a write. The order is that of `judge.ts`. A command that is known only at run time needs approval.
import { quote } from "../core/quote.ts";
import type { Verdict } from "../core/types.ts";
import { findBlocked } from "./blocked-command.ts";
import { findAllow, findHurdle, suggestRule } from "./command-coverage.ts";
import { commandTexts, findRestricted } from "./command-pattern.ts";
import { findProtectedWrite, findRestrictedWrite } from "./command-writes.ts";
import type { Judged, Policy } from "./judge.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine } from "./shell/command-line.ts";
import { readCommandLine } from "./shell/read-command-line.ts";
import { isSameTool } from "./tool-names.ts";
import { BUILTIN_DENY_LIST, builtIn, byTrust, ruled } from "./verdicts.ts";

interface CommandCall extends Judged {
  readonly lines: readonly CommandLine[];
  readonly rules: readonly Rule[];
  readonly allows: readonly Rule[];
}

export function judgeCommand(judged: Judged, policy: Policy): Verdict {
  const rules = policy.rules.filter((rule) => rule.tool === "*" || isSameTool(rule.tool, judged.tool));
  const allows = rules.filter(({ decision }) => decision === "allow");
  const call = { ...judged, lines: judged.subjects.map(readCommandLine), rules, allows };
  return (
    byRestriction(call, policy, "deny") ??
    byProtection(call, policy, "refuse") ??
    byRestriction(call, policy, "ask") ??
    byAllowance(call) ??
    byBlockedList(call) ??
    byUnknown(call) ??
    byProtection(call, policy, "ask") ??
    withHurdle(byTrust(call, policy.trust), call)
  );
}

function byRestriction(call: CommandCall, policy: Policy, decision: "deny" | "ask"): Verdict | null {
  const texts = call.lines.map(commandTexts);
  for (const rule of call.rules.filter((candidate) => candidate.decision === decision)) {
    const { pattern } = rule;
    if (pattern === null) return ruled(rule);
    const found = firstOf(texts, (text) => findRestricted(pattern, text));
    if (found !== null) return because(ruled(rule), `It runs ${quote(found)}.`);
  }
  const restrictions = policy.rules.filter((rule) => rule.decision === decision);
  const write = firstOf(call.lines, (line) => findRestrictedWrite(call.tool, line, restrictions));
  return write && because(ruled(write.rule), `It writes ${quote(write.source)}.`);
}

function byProtection(call: CommandCall, { protectionOf }: Policy, write: "refuse" | "ask"): Verdict | null {
  const found = firstOf(call.lines, (line) => findProtectedWrite(line, write, protectionOf));
  if (found === null) return null;
  const means = write === "ask" ? "so a write to it asks" : "and no rule opens it for writing";
  const reason = `${quote(found)} is a protected path, ${means}.`;
  return builtIn(write === "ask" ? "ask" : "deny", "protected paths", reason);
}

function byAllowance({ lines, allows }: CommandCall): Verdict | null {
  const whole = allows.find((rule) => rule.pattern === null && lines.every(({ line }) => rule.matches(line)));
  if (whole) return ruled(whole);
  const covering = lines.map((line) => (findHurdle(line, allows) === null ? firstRule(line, allows) : null));
  return covering[0] && covering.every((rule) => rule !== null) ? ruled(covering[0]) : null;
}

function firstRule(line: CommandLine, allows: readonly Rule[]): Rule | null {
  const [command] = line.readable ? line.commands : [];
  return command ? findAllow(command, allows) : null;
}

/** A command with its own allow rule is not blocked, even if no rule covers the other commands of the line. */
function byBlockedList({ tool, lines, allows }: CommandCall): Verdict | null {
  for (const line of lines) {
    const commands = line.readable ? line.commands : [];
    for (const command of commands) {
      const pattern = findBlocked(command);
      if (pattern === null || findAllow(command, allows) !== null) continue;
      const name = quote(command.words[0]!.source);
      const reason = `${name} in ${quote(line.line)} is on the built-in deny list, and no rule allows it${suggestRule(tool, command, pattern)}`;
      return {
        decision: "deny",
        rule: { text: `deny ${tool}(${pattern})`, source: BUILTIN_DENY_LIST },
        reason,
      };
    }
  }
  return null;
}

function byUnknown({ lines }: CommandCall): Verdict | null {
  const unknown = firstOf(lines, findUnknown);
  return unknown === null ? null : builtIn("ask", "unknown commands", `${unknown}, so it asks.`);
}

function findUnknown(line: CommandLine): string | null {
  if (!line.readable) return `The command line can't be read, for ${line.fault}`;
  const odd = line.commands.find(({ words }) => !words[0]!.fixed);
  return odd
    ? `What ${quote(odd.words[0]!.source)} in ${quote(line.line)} runs is known only when it runs`
    : null;
}

/** Adds why the rules do not allow the line, and a rule that would. */
function withHurdle(verdict: Verdict, { tool, lines, allows }: CommandCall): Verdict {
  const hurdle = verdict.decision === "ask" ? firstOf(lines, (line) => findHurdle(line, allows, tool)) : null;
  return hurdle === null ? verdict : because(verdict, hurdle);
}

function because(verdict: Verdict, more: string): Verdict {
  return { ...verdict, reason: `${verdict.reason} ${more}` };
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

// Decides whether a command line may run. Every simple command counts, however nested, and every redirect target counts
// as a write. The order is that of `judge.ts`. A command that is known only at run time needs approval.
import { quote } from "../core/quote.ts";
import type { Verdict } from "../core/types.ts";
import { findBlocked } from "./blocked-command.ts";
import { findAllow, findUncovered, suggestRule } from "./command-coverage.ts";
import { commandTexts, findPossiblyRestricted, findRestricted } from "./command-pattern.ts";
import { findProtectedWrite, findRestrictedWrite, findUnknownWrite, writerOf } from "./command-writes.ts";
import type { Judged, Policy } from "./judge.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine } from "./shell/command-line.ts";
import { readCommandLine } from "./shell/read-command-line.ts";
import { appliesTo, isSameTool } from "./tool-names.ts";
import { BUILTIN_DENY_LIST, builtInVerdict, ruleVerdict, trustVerdict } from "./verdicts.ts";

interface CommandCall extends Judged {
  readonly lines: readonly CommandLine[];
  readonly rules: readonly Rule[];
  readonly allows: readonly Rule[];
}

export function judgeCommand(judged: Judged, policy: Policy): Verdict {
  const rules = policy.rules.filter((rule) => appliesTo(rule.tool, judged.tool));
  const allows = rules.filter(({ decision }) => decision === "allow");
  const call = { ...judged, lines: judged.subjects.map(readCommandLine), rules, allows };
  return (
    byRestriction(call, policy, isDeny) ??
    byProtection(call, policy, "refuse") ??
    byRestriction(call, policy, isAsk) ??
    byProjectAsk(call, policy) ??
    byHiddenCommand(call, policy) ??
    byAllowance(call) ??
    byBlockedList(call) ??
    byUnknown(call) ??
    byProtection(call, policy, "ask") ??
    withMissingAllow(trustVerdict(call, policy.trust), call)
  );
}

const isDeny = ({ decision }: Rule) => decision === "deny";
const isAsk = ({ decision, origin }: Rule) => decision === "ask" && origin.ofProject !== true;
const isProjectAsk = ({ decision, origin }: Rule) => decision === "ask" && origin.ofProject === true;

/** A project must not turn a command of the built-in deny list into a question. */
function byProjectAsk(call: CommandCall, policy: Policy): Verdict | null {
  const ask = byRestriction(call, policy, isProjectAsk);
  return ask && (byBlockedList(call) ?? ask);
}

function byRestriction(call: CommandCall, policy: Policy, applies: (rule: Rule) => boolean): Verdict | null {
  const texts = call.lines.map(commandTexts);
  for (const rule of call.rules.filter(applies)) {
    const { pattern } = rule;
    if (pattern === null) return ruleVerdict(rule);
    const found = firstOf(texts, (text) => findRestricted(pattern, text));
    if (found !== null) return because(ruleVerdict(rule), `It runs ${quote(found)}.`);
  }
  const restrictions = policy.rules.filter(applies);
  const write = firstOf(call.lines, (line) => findRestrictedWrite(call.tool, line, restrictions));
  return write && because(ruleVerdict(write.rule), `It writes ${quote(write.source)}.`);
}

/** A rule that restricts commands cannot find a command that is known only at run time. */
function byHiddenCommand(call: CommandCall, policy: Policy): Verdict | null {
  const ask = isRestricted(call, policy)
    ? (byUnknown(call) ?? byEvaluation(call) ?? byPossibleRestriction(call) ?? byUnknownWrite(call, policy))
    : null;
  return ask && (byBlockedList(call) ?? ask);
}

/** Whether a deny or ask rule looks for a command or a redirect in the line. */
function isRestricted({ tool, rules }: CommandCall, policy: Policy): boolean {
  const restrictions = [...rules, ...policy.rules.filter((rule) => isSameTool(rule.tool, writerOf(tool)))];
  return restrictions.some(({ decision, pattern }) => decision !== "allow" && pattern !== null);
}

function byProtection(call: CommandCall, { protectionOf }: Policy, write: "refuse" | "ask"): Verdict | null {
  const found = firstOf(call.lines, (line) => findProtectedWrite(line, write, protectionOf));
  if (found === null) return null;
  const means = write === "ask" ? "so a write needs approval" : "and no rule allows writes to it";
  const reason = `${quote(found)} is a protected path, ${means}.`;
  return builtInVerdict(write === "ask" ? "ask" : "deny", "protected paths", reason);
}

function byAllowance({ lines, allows }: CommandCall): Verdict | null {
  const whole = allows.find((rule) => rule.pattern === null && lines.every(({ line }) => rule.matches(line)));
  if (whole) return ruleVerdict(whole);
  const covering = lines.map((line) =>
    findUncovered(line, allows) === null ? firstRule(line, allows) : null,
  );
  return covering[0] && covering.every((rule) => rule !== null) ? ruleVerdict(covering[0]) : null;
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
      const reason = `${name} in ${quote(line.line)} is on the built-in deny list, and no rule allows it${suggestRule(tool, command)}`;
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
  return unknown === null
    ? null
    : builtInVerdict("ask", "unknown commands", `${unknown}, so it needs approval.`);
}

/** The shell evaluates text of the line a second time. */
function byEvaluation({ lines }: CommandCall): Verdict | null {
  const hazards = lines.flatMap((line) => (line.readable ? line.hazards : []));
  const found = hazards.find(({ evaluates }) => evaluates);
  if (found === undefined) return null;
  const reason = `hotcell cannot know what the line runs, because ${found.text}, so it needs approval.`;
  return builtInVerdict("ask", "unknown commands", reason);
}

/** The shell expands words of the line to what the text does not show. */
function byPossibleRestriction({ lines, rules }: CommandCall): Verdict | null {
  for (const { decision, pattern, origin } of rules) {
    if (decision === "allow" || pattern === null) continue;
    const found = firstOf(lines, (line) => findPossiblyRestricted(pattern, line));
    if (found === null) continue;
    const reason = `${quote(found)} may be a command of the rule ${quote(origin.text)} once the shell has expanded it, so it needs approval.`;
    return builtInVerdict("ask", "unknown commands", reason);
  }
  return null;
}

function byUnknownWrite({ tool, lines }: CommandCall, { rules }: Policy): Verdict | null {
  const found = firstOf(lines, (line) => findUnknownWrite(tool, line, rules));
  if (found === null) return null;
  const { source, rule } = found;
  const reason = `${quote(source)} may be a path of the rule ${quote(rule.origin.text)} once the shell has expanded it, so the write needs approval.`;
  return builtInVerdict("ask", "unknown commands", reason);
}

function findUnknown(line: CommandLine): string | null {
  if (!line.readable) return `The command line can't be read, for ${line.fault}`;
  const odd = line.commands.find(({ words }) => !words[0]!.fixed);
  return odd
    ? `The command that ${quote(odd.words[0]!.source)} in ${quote(line.line)} runs is known only at run time`
    : null;
}

/** Adds why the rules do not allow the line, and a rule that would. */
function withMissingAllow(verdict: Verdict, { tool, lines, allows }: CommandCall): Verdict {
  const uncovered =
    verdict.decision === "ask" ? firstOf(lines, (line) => findUncovered(line, allows, tool)) : null;
  return uncovered === null ? verdict : because(verdict, uncovered);
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

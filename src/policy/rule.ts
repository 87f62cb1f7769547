// A rule is one line: `allow write_file(src/**)`, `deny run_command(git push *)`, `ask *`.
// The parser rejects a rule that is unreadable or can never match, so that no rule is silently without effect.
import { HotcellError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { quote } from "../core/quote.ts";
import type { RuleOrigin, Verdict } from "../core/types.ts";
import { collapseBlanks, findCommandPatternFault } from "./command-pattern.ts";
import {
  compileNetworkPattern,
  findNetworkPatternFault,
  normalizeNetworkPattern,
} from "./network-pattern.ts";
import {
  compilePathPattern,
  findMountPatternFault,
  findPathPatternFault,
  normalizePathPattern,
} from "./path-pattern.ts";
import { hasControlCharacter } from "./shell/control-character.ts";
import { appliesTo, findTool, KNOWN_TOOLS, type KnownTool, NETWORK, type SubjectKind } from "./tool-names.ts";

export type Decision = Verdict["decision"];

/** From the strongest to the weakest. */
export const DECISIONS: readonly Decision[] = ["deny", "ask", "allow"];

export interface Rule {
  readonly decision: Decision;
  /** A tool's name, or `*` for every tool. */
  readonly tool: string;
  readonly pattern: string | null;
  readonly origin: RuleOrigin;
  /**
   * Whether the rule matches this path or, without a pattern, this command line. It does not check the tool.
   * `command-pattern.ts` matches patterns on commands.
   */
  matches(subject: string): boolean;
}

/** Throws POLICY_INVALID with the location, the rule, the fault and a correction. */
export function parseRule(
  text: string,
  place: { readonly source: string; readonly line?: number },
  extraTools: readonly KnownTool[] = [],
  mounts: readonly string[] | null = null,
): Rule {
  const origin: RuleOrigin = { text, ...place };
  const { decision, name, written } = splitRule(origin);
  if (name === "*") {
    return makeRule({ decision, tool: "*", pattern: anyToolPattern(origin, written), origin }, "none");
  }
  const tool = knownTool(origin, name, extraTools);
  const pattern = written === null ? null : readPattern(origin, { decision, tool, written, mounts });
  return makeRule({ decision, tool: tool.name, pattern, origin }, tool.subject);
}

/** Parses rules in order, with the names of the mounts if known. Rejects a rule that another rule leaves without effect. */
export function parseRules(
  origins: readonly RuleOrigin[],
  extraTools: readonly KnownTool[] = [],
  mounts: readonly string[] | null = null,
): readonly Rule[] {
  const rules = origins.map(({ text, ...place }) => parseRule(text, place, extraTools, mounts));
  for (const [index, rule] of rules.entries()) refuseIdle(rule, index, rules);
  return rules;
}

/** `hotcell.config.json:4`, or the source alone. */
export function formatOrigin(origin: RuleOrigin): string {
  return origin.line === undefined ? origin.source : `${origin.source}:${origin.line}`;
}

interface SplitRule {
  readonly decision: Decision;
  readonly name: string;
  readonly written: string | null;
}

function splitRule(origin: RuleOrigin): SplitRule {
  if (/\p{Cc}/u.test(origin.text.trim())) {
    throw refused(origin, "it has a control character in it; write it on one line");
  }
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(origin.text.trim()) ?? [];
  const decision = DECISIONS.find((known) => known === word);
  if (decision === undefined) {
    throw refused(origin, `it begins with ${quote(word)}; begin with "allow", "ask" or "deny"`);
  }
  if (!isBalanced(rest)) {
    throw refused(origin, 'its parentheses do not pair; write it like "allow write_file(src/**)"');
  }
  const [, name, written = null] = /^([^\s()]+)(?:\((.*)\))?$/s.exec(rest) ?? [];
  if (name === undefined) {
    throw refused(
      origin,
      `${quote(word)} must be followed by one tool, and maybe a pattern: "${word} write_file(src/**)"`,
    );
  }
  return { decision, name, written };
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const letter of text) {
    if (letter === "(") open++;
    if (letter === ")") open--;
    if (open < 0) return false;
  }
  return open === 0;
}

function anyToolPattern(origin: RuleOrigin, written: string | null): null {
  if (written === null) return null;
  throw refused(
    origin,
    `"*" takes no pattern, because a pattern means a path for one tool and a command for another; name the tool`,
  );
}

function knownTool(origin: RuleOrigin, name: string, extraTools: readonly KnownTool[]): KnownTool {
  const tools = [...KNOWN_TOOLS, ...extraTools];
  const tool = findTool(name, tools);
  if (tool) return tool;
  const names = [...new Set(tools.map((known) => known.name))];
  const near = nearest(name, names).map(quote);
  const hint = near.length > 0 ? `perhaps ${near.join(" or ")}` : `the tools are ${names.join(", ")}`;
  throw refused(origin, `no tool is called ${quote(name)}; ${hint}`);
}

interface WrittenPattern {
  readonly decision: Decision;
  readonly tool: KnownTool;
  readonly written: string;
  readonly mounts: readonly string[] | null;
}

function readPattern(origin: RuleOrigin, { decision, tool, written, mounts }: WrittenPattern): string {
  const pattern = tool.subject === "command" ? collapseBlanks(written) : written.trim();
  const whole = `${decision} ${tool.name}`;
  if (tool.subject === "none") {
    throw refused(origin, `${tool.name} has no argument that a pattern could match; write "${whole}"`);
  }
  if (pattern === "") {
    throw refused(origin, `its pattern is empty; write "${whole}" for every call of that tool`);
  }
  const fault =
    tool.subject === "path"
      ? ((tool.naming === "mounts" ? findMountPatternFault(pattern, mounts) : null) ??
        findPathPatternFault(pattern))
      : tool.subject === "host"
        ? findNetworkPatternFault(pattern)
        : findCommandPatternFault(pattern, decision);
  if (fault !== null) throw refused(origin, `its pattern can never match: ${fault}`);
  if (tool.subject === "host") return normalizeNetworkPattern(pattern);
  return tool.subject === "path" ? normalizePathPattern(pattern) : pattern;
}

function makeRule(rule: Omit<Rule, "matches">, subject: SubjectKind): Rule {
  const covers = coverageOf(rule, subject);
  const isAllow = rule.decision === "allow";
  return { ...rule, matches: (text) => !(isAllow && hasControlCharacter(text)) && covers(text) };
}

function coverageOf({ pattern, decision }: Omit<Rule, "matches">, subject: SubjectKind) {
  if (pattern === null) return () => true;
  if (subject === "host") return compileNetworkPattern(pattern);
  if (subject === "path" && decision === "allow") return compilePathPattern(pattern);
  return subject === "path" ? compileFolded(pattern) : () => false;
}

/** On a case-insensitive filesystem another spelling is the same file, so restricting rules ignore case. */
function compileFolded(pattern: string): (path: string) => boolean {
  const exact = compilePathPattern(pattern);
  const folded = compilePathPattern(pattern.toLowerCase());
  return (path) => exact(path) || folded(path.toLowerCase());
}

function refuseIdle(rule: Rule, index: number, rules: readonly Rule[]): void {
  const twin = rules.slice(0, index).find((other) => isSameRule(other, rule));
  if (twin) {
    throw refused(rule.origin, `${formatOrigin(twin.origin)} has the same rule; remove one of them`);
  }
  const stronger = rules.find((other) => isStronger(other, rule) && coversAllOf(other, rule));
  if (!stronger) return;
  const winner = `${quote(stronger.origin.text)} (${formatOrigin(stronger.origin)})`;
  throw refused(
    rule.origin,
    `it never applies, because ${winner} is stronger (deny, then ask, then allow); remove one of them`,
  );
}

function isSameRule(a: Rule, b: Rule): boolean {
  return a.decision === b.decision && a.tool === b.tool && a.pattern === b.pattern;
}

function isStronger(a: Rule, b: Rule): boolean {
  return DECISIONS.indexOf(a.decision) < DECISIONS.indexOf(b.decision);
}

function coversAllOf(a: Rule, b: Rule): boolean {
  // "*" is every tool, and the network is none.
  const applies = appliesTo(a.tool, b.tool) && (a.tool !== "*" || b.tool !== NETWORK);
  return applies && (a.pattern === null || a.pattern === b.pattern);
}

function refused(origin: RuleOrigin, problem: string): HotcellError {
  const message = `Could not load the rule ${quote(origin.text)} at ${formatOrigin(origin)}: ${problem}.`;
  return new HotcellError("POLICY_INVALID", message, { ...origin });
}

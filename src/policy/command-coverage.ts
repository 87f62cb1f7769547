// Decides whether allow rules cover a command line. They must cover all of it, and nothing may change its meaning.
import { quote } from "../core/quote.ts";
import { findCommandPatternFault, findCovering } from "./command-pattern.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine, Redirect, SimpleCommand } from "./shell/command-line.ts";

/** The first allow rule with a pattern that covers a command. */
export function findAllow(command: SimpleCommand, allows: readonly Rule[]): Rule | null {
  const patterned = allows.filter(({ pattern }) => pattern !== null);
  const covering = findCovering(
    patterned.map(({ pattern }) => pattern!),
    command,
  );
  return patterned.find(({ pattern }) => pattern === covering) ?? null;
}

/** Why the allow rules do not cover a line, as a sentence; null if they do. */
export function findHurdle(line: CommandLine, allows: readonly Rule[], tool = ""): string | null {
  if (!line.readable) return `The command line can't be read, for ${line.fault}.`;
  const { commands, hazards, redirects } = line;
  const bare = commands.find((command) => findAllow(command, allows) === null);
  if (bare) return sayUncovered(bare, line.line, tool, allows);
  if (hazards[0] !== undefined)
    return `In ${quote(line.line)} ${hazards[0]}: no allow with a pattern covers that.`;
  const odd = redirects.find((redirect) => !isPlainTarget(redirect));
  if (odd) return `No allow with a pattern covers a redirect with ${quote(odd.target.source)}.`;
  return commands.length === 0 ? "There is no command in it that a rule could allow." : null;
}

/** `; to allow it add: RULE`, or a full stop if no rule with a pattern can allow it. */
export function suggestRule(tool: string, command: SimpleCommand, ...patterns: readonly string[]): string {
  const exact = command.words.map(({ text }) => text ?? "").join(" ");
  const pattern = findCovering([...patterns, exact].filter(isWritable), command);
  return pattern === null ? "." : `; to allow it add: allow ${tool}(${pattern})`;
}

function sayUncovered(command: SimpleCommand, line: string, tool: string, allows: readonly Rule[]): string {
  const [name, next] = command.words;
  const isKnown = allows.some(({ pattern }) => pattern?.startsWith(`${name!.text} `));
  const patterns = [...(isKnown && next ? [`${name!.text} ${next.text} *`] : []), `${name!.text} *`];
  const suggestion = suggestRule(tool, command, ...patterns);
  return `${quote(name!.source)} in ${quote(line)} is not covered by any rule${suggestion}`;
}

function isWritable(pattern: string): boolean {
  return /^[!-~]+( [!-~]+)*$/.test(pattern) && findCommandPatternFault(pattern, "allow") === null;
}

function isPlainTarget({ target: { text, fixed } }: Redirect): boolean {
  if (text === null || !fixed) return false;
  return text === "/dev/null" || (text !== "" && !text.startsWith("/") && !text.split("/").includes(".."));
}

// Decides whether allow rules cover a command line. They must cover all of it, and nothing may change its meaning.
import { quote } from "../core/quote.ts";
import { findCommandPatternFault, findCovering } from "./command-pattern.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine, Redirect, SimpleCommand } from "./shell/command-line.ts";
import { readCommandLine } from "./shell/read-command-line.ts";

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
export function findUncovered(line: CommandLine, allows: readonly Rule[], tool = ""): string | null {
  if (!line.readable) return `The command line can't be read, for ${line.fault}.`;
  const { commands, hazards, redirects } = line;
  const bare = commands.find((command) => findAllow(command, allows) === null);
  if (bare) return sayUncovered(bare, line.line, tool);
  if (hazards[0] !== undefined)
    return `In ${quote(line.line)} ${hazards[0].text}. No allow rule with a pattern covers that.`;
  const odd = redirects.find((redirect) => !isPlainTarget(redirect));
  if (odd) return `No allow rule with a pattern covers a redirect to ${quote(odd.target.source)}.`;
  return commands.length === 0 ? "There is no command in it that a rule could allow." : null;
}

/**
 * `; to allow it add: RULE`, or a full stop if no rule allows just this command. The rule must not allow more than what
 * was asked, and a star of the command would become a wildcard of the rule.
 */
export function suggestRule(tool: string, command: SimpleCommand): string {
  const rule = ruleFor(tool, command);
  return rule === null ? "." : `; to allow it add: ${rule}`;
}

/** The rule that covers a line of one command, and no other; null if there is none. */
export function exactCommandRule(tool: string, text: string): string | null {
  const line = readCommandLine(text);
  if (!line.readable || line.commands.length !== 1) return null;
  return line.hazards.length + line.redirects.length > 0 ? null : ruleFor(tool, line.commands[0]!);
}

function ruleFor(tool: string, command: SimpleCommand): string | null {
  const exact = command.words.map(({ text }) => text ?? "").join(" ");
  const isExact = isWritable(exact) && findCovering([exact], command) !== null;
  return isExact ? `allow ${tool}(${exact})` : null;
}

function sayUncovered(command: SimpleCommand, line: string, tool: string): string {
  const name = quote(command.words[0]!.source);
  return `${name} in ${quote(line)} is not covered by any rule${suggestRule(tool, command)}`;
}

function isWritable(pattern: string): boolean {
  return /^[!-)+-~]+( [!-)+-~]+)*$/.test(pattern) && findCommandPatternFault(pattern, "allow") === null;
}

function isPlainTarget({ target: { text, fixed } }: Redirect): boolean {
  if (text === null || !fixed) return false;
  return text === "/dev/null" || (text !== "" && !text.startsWith("/") && !text.split("/").includes(".."));
}

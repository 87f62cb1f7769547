// Patterns on commands. `*` matches any characters; `git diff *` also matches `git diff` alone.
import { LIMITS } from "../core/limits.ts";
import type { Verdict } from "../core/types.ts";
import type { CommandLine, ShellWord, SimpleCommand } from "./shell/command-line.ts";
import { baseName } from "./shell/look-through.ts";

const OPERATOR = /[;&|\n`<>()]|\$\(/;

/** The texts of a line that deny and ask rules are matched against. */
export interface CommandTexts {
  readonly whole: string;
  readonly commands: readonly string[];
}

/** If a line cannot be parsed, its commands are the parts between shell operators. */
export function commandTexts(line: CommandLine): CommandTexts {
  const text = line.line.slice(0, LIMITS.maxCommandBytes);
  const commands = line.readable
    ? line.commands.flatMap(spellings)
    : [text, ...text.split(OPERATOR)].map(collapseBlanks);
  return { whole: collapseBlanks(text), commands };
}

/** The part of a line that matches the pattern of a deny or ask rule; null if none does. */
export function findRestricted(pattern: string, { whole, commands }: CommandTexts): string | null {
  const matches = compileText(pattern);
  // A pattern like `curl * | sh` is matched against the line as written.
  if (OPERATOR.test(pattern) && matches(whole)) return whole;
  return commands.find(matches) ?? null;
}

/** The first pattern that covers a command: its name as written, and its arguments if every word is known. */
export function findCovering(patterns: readonly string[], { words }: SimpleCommand): string | null {
  const [name, ...args] = words;
  if (!name?.fixed || name.text === null) return null;
  const called = name.text;
  const text = [called, ...args.map(exactText)].join(" ");
  return patterns.find((pattern) => isNamedBy(pattern, called) && compileText(pattern)(text)) ?? null;
}

export function collapseBlanks(text: string): string {
  return text.replace(/[ \t]+/g, " ").trim();
}

/** Why a pattern cannot match any command, and what to write instead; null if it can. */
export function findCommandPatternFault(pattern: string, decision: Verdict["decision"]): string | null {
  if (decision !== "allow") return null;
  if (OPERATOR.test(pattern)) {
    return 'an allow covers one command, without shell operators; write one allow for each command, like "allow run_command(git diff *)"';
  }
  const [head = ""] = pattern.split(" ", 1);
  return head.includes("*") && head.includes("/")
    ? 'in an allow "*" stands for no path of a program; write the path whole'
    : null;
}

/** The command as written, and with the base name of its program. */
function spellings({ words: [name, ...args] }: SimpleCommand): readonly string[] {
  const written = name!.text ?? name!.source;
  return [written, baseName(written)].map((spelling) => [spelling, ...args.map(plainText)].join(" "));
}

function plainText({ text, source }: ShellWord): string {
  return collapseBlanks(text ?? source);
}

// No pattern contains a control character, so only a star can match an unknown word.
function exactText({ text }: ShellWord): string {
  if (text === null) return "\0";
  return /^\S+$/.test(text) ? text : `'${text}'`;
}

/** A star does not match a path; otherwise `*` would allow any program in the workspace. */
function isNamedBy(pattern: string, name: string): boolean {
  const [head = ""] = pattern.split(" ", 1);
  return head.includes("*") ? /^[^\s/]+$/.test(name) : head === name;
}

function compileText(pattern: string): (text: string) => boolean {
  const whole = compileStars(pattern);
  if (!pattern.endsWith(" *")) return whole;
  const bare = compileStars(pattern.slice(0, -2));
  return (text) => bare(text) || whole(text);
}

// Matches each part at its first occurrence, so the time is linear in the text for every pattern.
function compileStars(pattern: string): (text: string) => boolean {
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return (text) => text === head;
  return (text) => {
    if (!text.startsWith(head)) return false;
    let at = head.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - at >= tail.length && text.endsWith(tail);
  };
}

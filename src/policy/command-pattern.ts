// Patterns on commands. `*` matches any characters, `{a,b}` one of its choices; `git diff *` also matches `git diff` alone.
import { expandBraces } from "../core/glob.ts";
import { LIMITS } from "../core/limits.ts";
import type { Verdict } from "../core/types.ts";
import { mayMatch } from "./possible-match.ts";
import type { CommandLine, ShellWord, SimpleCommand } from "./shell/command-line.ts";
import { baseName } from "./shell/inner-commands.ts";
import { withoutGitOptions } from "./without-git-options.ts";

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
    ? line.commands
        .flatMap(spellings)
        .map(([name, ...args]) => [name!.text, ...args.map(plainText)].join(" "))
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

/** The part of a line that may match the pattern of a deny or ask rule when the shell has expanded it; null if none can. */
export function findPossiblyRestricted(pattern: string, line: CommandLine): string | null {
  const choices = choicesOf(pattern).flatMap(withBare);
  const unfixed = line.readable ? line.commands.filter(({ words }) => words.some(({ fixed }) => !fixed)) : [];
  const found = unfixed.find((command) =>
    spellings(command).some(([name, ...args]) =>
      choices.some((choice) => mayMatch(choice, name!.text!, args)),
    ),
  );
  return found === undefined ? null : found.words.map(({ source }) => source).join(" ");
}

/** The first pattern that covers a command: its name as written, and its arguments if every word is known. */
export function findCovering(patterns: readonly string[], { words }: SimpleCommand): string | null {
  const [name, ...args] = words;
  if (!name?.fixed || name.text === null) return null;
  const called = name.text;
  const text = [called, ...args.map(exactText)].join(" ");
  const covers = (choice: string) => isNamedBy(choice, called) && compileChoice(choice)(text);
  return patterns.find((pattern) => choicesOf(pattern).some(covers)) ?? null;
}

export function collapseBlanks(text: string): string {
  return text.replace(/[ \t]+/g, " ").trim();
}

/** Why a pattern cannot match any command, and what to write instead; null if it can. */
export function findCommandPatternFault(pattern: string, decision: Verdict["decision"]): string | null {
  if (!canExpand(pattern)) return "it has too many alternatives in braces; write several rules";
  if (decision !== "allow") return null;
  if (OPERATOR.test(pattern)) {
    return 'an allow rule covers one command, without shell operators; write one allow rule for each command, like "allow run_command(git diff *)"';
  }
  const heads = choicesOf(pattern).map((choice) => choice.split(" ", 1)[0]!);
  return heads.some((head) => head.includes("*") && head.includes("/"))
    ? 'in an allow rule, "*" does not match the path of a program; write the whole path'
    : null;
}

/** The words as written, with the base name of the program, and for git without the options before its subcommand. */
function spellings({ words: [name, ...args] }: SimpleCommand): readonly (readonly ShellWord[])[] {
  const written = name!.text ?? name!.source;
  const base = baseName(written);
  const called = (text: string, rest: readonly ShellWord[]) => [{ ...name!, text }, ...rest];
  const plain = base === "git" ? [called(base, withoutGitOptions(args))] : [];
  const asPath = written === base ? [] : [called(written, args)];
  return [...asPath, called(base, args), ...plain];
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

/** Braces without a comma, such as `{}`, stand for themselves. */
function choicesOf(pattern: string): readonly string[] {
  return /\{[^{}]*,[^{}]*\}/.test(pattern) ? expandBraces(pattern) : [pattern];
}

function canExpand(pattern: string): boolean {
  try {
    choicesOf(pattern);
    return true;
  } catch {
    return false;
  }
}

function compileText(pattern: string): (text: string) => boolean {
  const choices = choicesOf(pattern).map(compileChoice);
  return (text) => choices.some((matches) => matches(text));
}

function compileChoice(pattern: string): (text: string) => boolean {
  const readings = withBare(pattern).map(compileStars);
  return (text) => readings.some((matches) => matches(text));
}

/** `git diff *` also stands for `git diff`. */
function withBare(pattern: string): readonly string[] {
  return pattern.endsWith(" *") ? [pattern, pattern.slice(0, -2)] : [pattern];
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

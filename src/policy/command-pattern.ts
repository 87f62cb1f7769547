// Rules on command lines, by their text. `*` stands for any characters; `git diff *` also for `git diff` alone.
// Text can't tell a quoted operator from a real one, so an allow takes neither.
import type { Verdict } from "../core/words.ts";

const OPERATOR = /[;&|\n`<>()]|\$\(/;

/** An allow covers one plain command; a deny or an ask is tried on the whole line and on each of its commands. */
export function matchesCommand(pattern: string, decision: Verdict["decision"], line: string): boolean {
  if (decision === "allow") return !OPERATOR.test(line) && matchesText(pattern, collapseBlanks(line));
  return commandTexts(line).some((text) => matchesText(pattern, text));
}

/** The whole line and every piece of it between shell operators. */
export function commandTexts(line: string): readonly string[] {
  const pieces = line.split(OPERATOR);
  return (pieces.length === 1 ? [line] : [line, ...pieces]).map(collapseBlanks);
}

export function matchesText(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matchesStars(pattern.slice(0, -2), text)) return true;
  return matchesStars(pattern, text);
}

export function collapseBlanks(text: string): string {
  return text.replace(/[ \t]+/g, " ").trim();
}

/** Why a pattern can't match any command, and what to write; null when it can. */
export function findCommandPatternFault(pattern: string, decision: Verdict["decision"]): string | null {
  if (decision !== "allow" || !OPERATOR.test(pattern)) return null;
  return 'an allow never covers a line with shell operators; write one allow for each command, like "allow run_command(git diff *)"';
}

// Each part is taken where it first fits, so the cost follows the text, whatever the pattern.
function matchesStars(pattern: string, text: string): boolean {
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return text === head;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - at >= tail.length && text.endsWith(tail);
}

// Explains why a text is not in a file, so that a model can correct it without reading the whole file again.
import { spacingDifference } from "../patch/replace-text.ts";

const SHOWN_LINES = 12;
const SHOWN_CHARS = 200;
const MAX_LINES = 50_000;
/** A shorter text is in many files by chance. */
const TELLING_CHARS = 8;
/** Two lines are alike if they share at least this part of their pairs of letters. */
const ALIKE = 0.6;

/** Sentences about the file, then the lines that were probably meant. */
export function describeMiss(text: string, oldText: string, newText: string, isUtf8: boolean): string {
  const lines = text.split(/\r?\n/).slice(0, MAX_LINES);
  const wanted = oldText.split(/\r?\n/);
  if (!isUtf8 && oldText.includes("\uFFFD"))
    return "the file is not UTF-8, and U+FFFD in old_text stands for bytes that no text can name. Choose text without them.";
  const spacing = spacingDifference(text, oldText);
  if (spacing !== null) {
    const differs = `what the file has differs from old_text in ${spacing.what} at line ${spacing.line}`;
    return `${differs}. The file has:\n${numbered(lines, spacing.firstLine, wanted.length)}`;
  }
  if (newText.trim().length >= TELLING_CHARS && text.includes(newText))
    return "the file does not have old_text, but it has new_text already.";
  const near = nearestLine(lines, wanted);
  if (near === null) return "the file does not have old_text, nor lines like it. Read the file again.";
  return `the file does not have old_text. The nearest lines are:\n${numbered(lines, near, wanted.length)}`;
}

function numbered(lines: readonly string[], first: number, count: number): string {
  const shown = lines.slice(first - 1, first - 1 + Math.min(count, SHOWN_LINES));
  return shown.map((line, index) => `${first + index}\t${line.slice(0, SHOWN_CHARS)}`).join("\n");
}

/** The probable start of the wanted lines: aligns the pair of lines that are most alike. */
function nearestLine(lines: readonly string[], wanted: readonly string[]): number | null {
  const index = wanted.findIndex((line) => line.trim() !== "");
  if (index < 0) return null;
  const pairs = pairsOf(wanted[index]!);
  let best = { score: ALIKE, line: -1 };
  for (const [line, text] of lines.entries()) {
    const score = likeness(pairs, text);
    if (score > best.score) best = { score, line };
  }
  return best.line < 0 ? null : Math.max(1, best.line + 1 - index);
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, SHOWN_CHARS);
  return new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2)));
}

function likeness(pairs: ReadonlySet<string>, line: string): number {
  const others = pairsOf(line);
  if (pairs.size + others.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (others.has(pair)) shared++;
  return (2 * shared) / (pairs.size + others.size);
}

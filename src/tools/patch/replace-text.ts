import { type ErrorDetails, HotcellError } from "../../core/errors.ts";
import { findAll } from "./find-all.ts";

const NAMED_LINES = 5;

/** The old text must be in the file exactly once. Throws PATCH_FAILED. */
export function replaceText(text: string, oldText: string, newText: string): string {
  if (oldText === "") {
    const message = "Could not replace the text: the old text is empty. Give the text to replace.";
    throw new HotcellError("INVALID_ARGUMENTS", message);
  }
  const { count, first } = matchesOf(text, oldText);
  if (count === 0) throw notFound(text, oldText);
  if (count > 1) throw ambiguous(text, count, first);
  return text.slice(0, first[0]) + newText + text.slice(first[0]! + oldText.length);
}

interface Matches {
  readonly count: number;
  /** The lines of the first matches. */
  readonly first: readonly number[];
}

function matchesOf(text: string, oldText: string): Matches {
  const first: number[] = [];
  let count = 0;
  for (const offset of findAll(text, oldText)) {
    if (count < NAMED_LINES) first.push(offset);
    count++;
  }
  return { count, first };
}

function ambiguous(text: string, count: number, first: readonly number[]): HotcellError {
  const lines = first.map((offset) => lineAt(text, offset));
  const shown = `at lines ${lines.join(", ")}${count > lines.length ? " and later" : ""}`;
  const next = "Give more context, so that the text occurs once";
  return failed(`the file has the old text ${count} times, ${shown}. ${next}`, { count, lines });
}

function notFound(text: string, oldText: string): HotcellError {
  const next = "Read the file again and copy the old text exactly";
  const difference = spacingDifference(text, oldText);
  if (difference === null) return failed(`the file does not have the old text. ${next}`);
  const { what, line } = difference;
  return failed(`the file differs from the old text in ${what} at line ${line}. ${next}`, { line });
}

interface Difference {
  readonly what: "white space" | "the line ending";
  /** The line of the difference. */
  readonly line: number;
  /** The line on which the similar text in the file begins. */
  readonly firstLine: number;
}

/** Null if more than white space differs. */
export function spacingDifference(text: string, oldText: string): Difference | null {
  const wanted = withoutSpace(oldText);
  const found = wanted === "" ? undefined : findAll(withoutSpace(text), wanted).next().value;
  if (found === undefined) return null;
  const start = offsetWithSpace(text, found);
  const oldStart = oldText.search(/\S/);
  const same = sameChars(text.slice(start), oldText.slice(oldStart));
  const firstLine = lineAt(text, start);
  if (oldStart + same === oldText.length) return { what: "white space", line: firstLine, firstLine };
  const isLineEnd = endsLine(text, start + same) && endsLine(oldText, oldStart + same);
  return {
    what: isLineEnd ? "the line ending" : "white space",
    line: lineAt(text, start + same),
    firstLine,
  };
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

/** Maps an index in the text without white space to the index in the whole text. */
function offsetWithSpace(text: string, offset: number): number {
  let passed = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (offset < passed + word.length) return index + offset - passed;
    passed += word.length;
  }
  return text.length;
}

function sameChars(a: string, b: string): number {
  let same = 0;
  while (same < b.length && a[same] === b[same]) same++;
  return same;
}

function endsLine(text: string, offset: number): boolean {
  return text[offset] === "\n" || text.startsWith("\r\n", offset);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function failed(reason: string, details: ErrorDetails = {}): HotcellError {
  return new HotcellError("PATCH_FAILED", `Could not replace the text: ${reason}.`, details);
}

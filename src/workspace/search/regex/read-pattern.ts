import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { foreignPart } from "./foreign-syntax.ts";

/** Finding the characters of a property takes some ten milliseconds. */
const MAX_PROPERTIES = 32;

export interface ReadPattern {
  readonly syntax: AST.Pattern;
  /** Whether the pattern is parsed with the `u` flag. */
  readonly unicode: boolean;
  /** For one line without its line end: `.` is any character, `^` and `$` are the ends of the line. */
  readonly regexp: RegExp;
}

/** V8 decides which patterns are valid. */
export function readPattern(source: string, ignoreCase: boolean): ReadPattern {
  if (source.length > LIMITS.maxPatternChars) {
    throw refusePattern(source, `has ${source.length} characters, more than ${LIMITS.maxPatternChars}`);
  }
  // Both parsers below recurse.
  if (depthOf(source) > LIMITS.maxPatternDepth) {
    throw refusePattern(source, `has groups nested more than ${LIMITS.maxPatternDepth} deep`);
  }
  const foreign = foreignPart(source);
  if (foreign !== null) {
    const { part, instead } = foreign;
    throw refusePattern(source, `has ${part}, which JavaScript does not have`, `Write ${instead}`);
  }
  const properties = new Set(source.match(/\\[pP]\{[^}]*\}/g)).size;
  if (properties > MAX_PROPERTIES) {
    throw refusePattern(source, `has ${properties} different properties, more than ${MAX_PROPERTIES}`);
  }
  const unicode = needsUnicode(source);
  try {
    const regexp = new RegExp(source, `${ignoreCase ? "i" : ""}s${unicode ? "u" : ""}`);
    const parser = new RegExpParser({ ecmaVersion: 2025 });
    return { regexp, unicode, syntax: parser.parsePattern(source, 0, source.length, { unicode }) };
  } catch (error) {
    const reason = reasonOf(error);
    const problem = `is not a regular expression of JavaScript: ${reason}${hintFor(source, reason, unicode)}`;
    throw refusePattern(source, problem, "Correct it");
  }
}

/** Whether it has `\p{…}` or `\u{…}`, which need the `u` flag in JavaScript. */
function needsUnicode(source: string): boolean {
  return Array.from(source.matchAll(/\\(?:[pPu]\{|.)/gs)).some(([{ length }]) => length > 2);
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\(\?P</, "a named group is written (?<name>…)"],
  [/\(\?P=/, "a reference to a named group is written \\k<name>"],
  [
    /\(\?[a-zA-Z-]+[):]/,
    "flags stand beside a pattern, not in it; to ignore case, give case_sensitive: false, or in fs.search /…/i",
  ],
];
const STRICT =
  "in a pattern with \\p{…} or \\u{…}, ^ $ \\ . * + ? ( ) [ ] { } | need a backslash as literals, and other punctuation must not have one";

/** A hint about the probable intention. */
function hintFor(source: string, reason: string, unicode: boolean): string {
  const isStrict = unicode && /escape|brackets/.test(reason);
  const hint = HINTS.find(([written]) => written.test(source))?.[1] ?? (isStrict ? STRICT : null);
  return hint === null ? "" : ` (${hint})`;
}

export function refusePattern(
  source: string,
  problem: string,
  advice = "Give a simpler pattern",
): HotcellError {
  const message = `The pattern ${quote(source)} cannot be searched for: it ${problem}. ${advice}.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}

function depthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  // Escapes and classes as a whole: a bracket in them opens nothing.
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]?|[()]/gs)) {
    if (token === "(") deepest = Math.max(deepest, ++depth);
    else if (token === ")") depth--;
  }
  return deepest;
}

/** V8's message without the pattern, which may be long. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .slice(text.lastIndexOf(": ") + 1)
    .trim()
    .replace(/\.$/, "");
}

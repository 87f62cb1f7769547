import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";

export interface ReadPattern {
  readonly syntax: AST.Pattern;
  /** For one line without its end: `.` is any character of it, `^` and `$` are its ends. */
  readonly regexp: RegExp;
}

/** JavaScript itself says which patterns there are. */
export function readPattern(source: string, ignoreCase: boolean): ReadPattern {
  if (source.length > LIMITS.maxPatternChars) {
    throw refusePattern(source, `has ${source.length} characters, more than ${LIMITS.maxPatternChars}`);
  }
  // Both parsers below recurse.
  if (depthOf(source) > LIMITS.maxPatternDepth) {
    throw refusePattern(source, `has groups nested more than ${LIMITS.maxPatternDepth} deep`);
  }
  try {
    const regexp = new RegExp(source, ignoreCase ? "is" : "s");
    const parser = new RegExpParser({ ecmaVersion: 2025 });
    return { regexp, syntax: parser.parsePattern(source, 0, source.length, { unicode: false }) };
  } catch (error) {
    throw refusePattern(
      source,
      `is not a regular expression of JavaScript: ${reasonOf(error)}`,
      "Correct it",
    );
  }
}

export function refusePattern(
  source: string,
  problem: string,
  advice = "Give a simpler pattern",
): HotcellError {
  const message = `The pattern ${quote(source)} can't be searched for: it ${problem}. ${advice}.`;
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

/** The engine's words without the pattern, which may be long. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .slice(text.lastIndexOf(": ") + 1)
    .trim()
    .replace(/\.$/, "");
}

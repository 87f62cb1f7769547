// Patterns in JavaScript's syntax, for lines of UTF-8. A line is the text without its \n or \r\n; `.` is one code point
// of it, `^` and `$` are its ends, `\w`, `\d` and `\b` know ASCII only. A character above U+FFFF is one character, and
// has no case. Bytes that are no UTF-8 match nothing. A pattern with `\p{…}` or `\u{…}` is read as with the `u` flag;
// what has no matcher then, V8 matches with this flag's own rules for case.
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { buildNfa } from "./build-nfa.ts";
import { createCaseVariants } from "./case-variants.ts";
import { type ByteSet, firstBytes } from "./first-bytes.ts";
import { createLazyDfa } from "./lazy-dfa.ts";
import { createLineMatcher, type LineMatcher } from "./line-matcher.ts";
import { needsLineBreak } from "./needs-line-break.ts";
import type { Nfa } from "./nfa.ts";
import { readPattern, refusePattern } from "./read-pattern.ts";
import { type RequiredLiterals, requiredLiterals } from "./required-literals.ts";
import type { Shape } from "./shape.ts";
import { shapeOf } from "./shape-of.ts";

export interface RegexOptions {
  readonly ignoreCase: boolean;
}

export interface CompiledRegex extends RequiredLiterals {
  /** Finds lines by bytes; null when the pattern needs look-around or back-references. */
  readonly matcher: LineMatcher | null;
  /** How each match begins, by at most so many bytes; empty when that is not known. */
  firstBytes(most: number): readonly ByteSet[];
  /** Every match has a line break in it: no line matches. */
  readonly needsLineBreak: boolean;
  /** For the patterns without a matcher, line by line: run only in a worker that can be killed. */
  readonly regexp: RegExp;
}

/** Throws INVALID_ARGUMENTS for a pattern that JavaScript does not know, or that is too large. */
export function compileRegex(source: string, options: RegexOptions): CompiledRegex {
  const { shape, nfa, regexp } = analyseRegex(source, options);
  const tooMuch = () => {
    throw takesTooLong(source);
  };
  const matcher = nfa && createLineMatcher(createLazyDfa(nfa, LIMITS, { ...LIMITS, tooMuch }));
  return {
    matcher,
    regexp,
    needsLineBreak: needsLineBreak(shape),
    firstBytes: (most) => (nfa === null ? [] : firstBytes(nfa, most)),
    ...requiredLiterals(shape, options.ignoreCase),
  };
}

interface AnalysedRegex {
  readonly shape: Shape;
  readonly nfa: Nfa | null;
  readonly regexp: RegExp;
}

/** @internal The steps before there is a matcher. */
export function analyseRegex(source: string, { ignoreCase }: RegexOptions): AnalysedRegex {
  const { syntax, unicode, regexp } = readPattern(source, ignoreCase);
  const shape = shapeOf(syntax, unicode, ignoreCase ? createCaseVariants() : null);
  const maxStates = LIMITS.maxPatternStates;
  const tooMany = () => {
    throw refusePattern(source, `becomes more than ${maxStates} states, mostly by its counted repeats`);
  };
  return { shape, regexp, nfa: buildNfa(shape, { maxStates, tooMany }) };
}

function takesTooLong(source: string): HotcellError {
  const message = `Could not search for ${quote(source)}: on this text the pattern takes too much work for each byte. Give a simpler pattern, with smaller counted repeats.`;
  return new HotcellError("TIMEOUT", message);
}

// Patterns in JavaScript's syntax, for lines of UTF-8. A line is the text without its \n or \r\n; `.` is one code point
// of it, `^` and `$` are its ends, `\w`, `\d` and `\b` are ASCII only. A character above U+FFFF is one character and has
// no case. Bytes that are not UTF-8 match nothing. A pattern with `\p{…}` or `\u{…}` is parsed with the `u` flag. If it
// then needs V8, that flag's rules for case apply.
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
  /** Matches lines as bytes; null if the pattern needs look-around or back-references. */
  readonly matcher: LineMatcher | null;
  /** The sets of possible first bytes of a match, at most so many; empty if unknown. */
  firstBytes(most: number): readonly ByteSet[];
  /** True if every match contains a line break: no line matches. */
  readonly needsLineBreak: boolean;
  /** For patterns without a matcher, line by line. Use it only in a worker that can be killed. */
  readonly regexp: RegExp;
}

/** Throws INVALID_ARGUMENTS for a pattern that is not valid in JavaScript, or too large. */
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

/** @internal The steps before the matcher is built. */
export function analyseRegex(source: string, { ignoreCase }: RegexOptions): AnalysedRegex {
  const { syntax, unicode, regexp } = readPattern(source, ignoreCase);
  const shape = shapeOf(syntax, unicode, ignoreCase ? createCaseVariants() : null);
  const maxStates = LIMITS.maxPatternStates;
  const tooMany = () => {
    throw refusePattern(source, `needs more than ${maxStates} states, mostly because of its counted repeats`);
  };
  return { shape, regexp, nfa: buildNfa(shape, { maxStates, tooMany }) };
}

function takesTooLong(source: string): HotcellError {
  const message = `Could not search for ${quote(source)}: on this text the pattern takes too much work for each byte. Give a simpler pattern, with smaller counted repeats.`;
  return new HotcellError("TIMEOUT", message);
}

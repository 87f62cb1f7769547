// Globs with bounded matching time: `*`, `?`, `[a-z]`, `{a,b}`, `**` as a whole name, `\` before a literal character.
// The time is at most the length of the pattern times the length of the path.
import { HotcellError } from "./errors.ts";
import { quote } from "./quote.ts";

const MAX_ALTERNATIVES = 32;
const MAX_PATTERN_CHARS = 1024;

/** A literal character, `*`, or a set of characters. */
type Token = string | typeof STAR | { readonly accepts: (char: string) => boolean };
type Segment = "**" | readonly Token[];

const STAR = Symbol("*");
const ANY: Token = { accepts: () => true };

export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((text) => text.split("/").map(compileSegment));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchWild(segments, names, isDoubleStar, matchSegment));
  };
}

const isDoubleStar = (segment: Segment): boolean => segment === "**";
const isStar = (token: Token): boolean => token === STAR;
const accepts = (token: Token, char: string): boolean =>
  typeof token === "object" ? token.accepts(char) : token === char;

function matchSegment(segment: Segment, name: string): boolean {
  return segment !== "**" && matchWild(segment, [...name], isStar, accepts);
}

/** Greedy match that backtracks only to the last wildcard. */
function matchWild<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isWild: (part: P) => boolean,
  takes: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let wild = -1;
  let retryFrom = 0;
  for (let item = 0; item < items.length; ) {
    const part = pattern[at];
    if (part !== undefined && isWild(part)) {
      wild = at++;
      retryFrom = item;
    } else if (part !== undefined && takes(part, items[item]!)) {
      at++;
      item++;
    } else if (wild >= 0) {
      at = wild + 1;
      item = ++retryFrom;
    } else return false;
  }
  while (at < pattern.length && isWild(pattern[at]!)) at++;
  return at === pattern.length;
}

function compileSegment(text: string): Segment {
  if (text === "**") return "**";
  const tokens: Token[] = [];
  const chars = [...text];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    const classEnd = char === "[" ? chars.indexOf("]", at + 2) : -1;
    if (char === "*") tokens.push(STAR);
    else if (char === "?") tokens.push(ANY);
    else if (classEnd > 0) {
      tokens.push({ accepts: characterClass(chars.slice(at + 1, classEnd)) });
      at = classEnd;
    } else tokens.push(char === "\\" && at + 1 < chars.length ? chars[++at]! : char);
  }
  return tokens;
}

function characterClass(chars: readonly string[]): (char: string) => boolean {
  const negated = chars[0] === "!" || chars[0] === "^";
  const members = negated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    ranges.push([members[at]!, members[isRange ? at + 2 : at]!]);
    if (isRange) at += 2;
  }
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated;
}

/** Every text that the `{a,b}` of a pattern stand for. */
export function expandBraces(pattern: string): string[] {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw unusable(pattern, `is longer than ${MAX_PATTERN_CHARS} characters`);
  const whole = new Set<string>();
  let open = [pattern];
  while (open.length > 0) {
    const pieces = open.map((text) => ({ text, choices: expandFirst(text) }));
    for (const { text, choices } of pieces) if (choices === null) whole.add(text);
    open = [...new Set(pieces.flatMap(({ choices }) => choices ?? []))];
    if (whole.size + open.length > MAX_ALTERNATIVES) {
      throw unusable(pattern, `has more than ${MAX_ALTERNATIVES} alternatives`);
    }
  }
  return [...whole];
}

function unusable(pattern: string, problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `The glob ${quote(pattern)} ${problem}.`);
}

/** The alternatives of the first innermost `{a,b}`, or null if there is none. */
function expandFirst(text: string): string[] | null {
  const found = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(text);
  if (found === null) return null;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  return found[1]!.split(",").map((choice) => before + choice + after);
}

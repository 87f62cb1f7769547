// Globs that no pattern can hang: `*`, `?`, `[a-z]`, `{a,b}`, `**` as a whole name, `\` before a character
// that is meant literally. Time is at most length of pattern times length of path.
import { HotcellError } from "./errors.ts";

const MAX_ALTERNATIVES = 64;

type Token =
  | { readonly kind: "star" }
  | { readonly kind: "one"; readonly accepts: (char: string) => boolean };
type Segment = "**" | readonly Token[];

export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((text) => text.split("/").map(compileSegment));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchWild(segments, names, isDoubleStar, matchSegment));
  };
}

const isDoubleStar = (segment: Segment): boolean => segment === "**";
const isStar = (token: Token): boolean => token.kind === "star";

function matchSegment(segment: Segment, name: string): boolean {
  return (
    segment !== "**" &&
    matchWild(segment, [...name], isStar, (token, char) => token.kind === "one" && token.accepts(char))
  );
}

/** Greedy match with one place to fall back to: the last wildcard seen. */
function matchWild<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isWild: (part: P) => boolean,
  accepts: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let wild = -1;
  let retryFrom = 0;
  for (let item = 0; item < items.length; ) {
    const part = pattern[at];
    if (part !== undefined && isWild(part)) {
      wild = at++;
      retryFrom = item;
    } else if (part !== undefined && accepts(part, items[item]!)) {
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
    if (char === "*") tokens.push({ kind: "star" });
    else if (char === "?") tokens.push({ kind: "one", accepts: () => true });
    else if (classEnd > 0) {
      tokens.push({ kind: "one", accepts: characterClass(chars.slice(at + 1, classEnd)) });
      at = classEnd;
    } else {
      const literal = char === "\\" && at + 1 < chars.length ? chars[++at]! : char;
      tokens.push({ kind: "one", accepts: (other) => other === literal });
    }
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

function expandBraces(pattern: string): string[] {
  const whole: string[] = [];
  let open = [pattern];
  while (open.length > 0) {
    const pieces = open.map((text) => ({ text, choices: expandFirst(text) }));
    whole.push(...pieces.filter(({ choices }) => choices === null).map(({ text }) => text));
    open = pieces.flatMap(({ choices }) => choices ?? []);
    if (whole.length + open.length > MAX_ALTERNATIVES) {
      throw new HotcellError(
        "INVALID_ARGUMENTS",
        `The glob "${pattern.slice(0, 80)}" has more than ${MAX_ALTERNATIVES} alternatives.`,
      );
    }
  }
  return whole;
}

/** The alternatives of the first innermost `{a,b}`, or null when there is none. */
function expandFirst(text: string): string[] | null {
  const found = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(text);
  if (found === null) return null;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  return found[1]!.split(",").map((choice) => before + choice + after);
}

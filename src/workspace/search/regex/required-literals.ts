// Finds text that every match contains. The result must hold for every match; it need not be complete.
import { type CodePoints, countOf } from "./code-points.ts";
import type { Shape } from "./shape.ts";

export interface RequiredLiterals {
  /** Every match contains one of these. If case is ignored, they are lower-case ASCII. Null: none is known. */
  readonly required: readonly string[] | null;
  /** Whether, conversely, each of these is a match. */
  readonly exact: boolean;
}

/** Alternative texts: one of them must occur. */
type Texts = readonly string[];

/** Facts that hold for all matches of a part. */
interface Known {
  /** The complete list of matches; null if there is none. */
  readonly whole: Texts | null;
  readonly head: Texts;
  readonly tail: Texts;
  readonly inner: Texts;
  /** Whether the part has no condition on the surrounding text. */
  readonly free: boolean;
}

const MAX_TEXTS = 16;
const MAX_CHARS = 128;
/** The limit for a class, without upper case if case is ignored. */
const MAX_MEMBERS = 4;
/** A character that most lines contain. A search for it alone costs more than it saves. */
const COMMON = /^[\w\s.,;:()=]$/;

const NOTHING: Known = { whole: [""], head: [""], tail: [""], inner: [""], free: true };
const EDGE: Known = { ...NOTHING, free: false };
const UNKNOWN: Known = { ...NOTHING, whole: null };

export function requiredLiterals(shape: Shape, ignoreCase: boolean): RequiredLiterals {
  const { whole, inner, free } = knownOf(shape, ignoreCase);
  const exact = whole !== null && free && shortest(whole) > 0;
  if (!exact && !inner.every(isUseful)) return { required: null, exact: false };
  return { required: withoutLonger(exact ? whole : inner), exact };
}

const isUseful = (text: string): boolean => text !== "" && !COMMON.test(text);

function knownOf(shape: Shape, ignoreCase: boolean): Known {
  switch (shape.kind) {
    case "one":
      return knownOfOne(shape.of, ignoreCase);
    case "sequence":
      return shape.parts.reduce((known, part) => follow(known, knownOf(part, ignoreCase)), NOTHING);
    case "choice":
      return shape.options.map((option) => knownOf(option, ignoreCase)).reduce(either);
    case "repeat":
      return repeat(knownOf(shape.part, ignoreCase), shape.min, shape.max);
    case "unknown":
      return UNKNOWN;
    default:
      return EDGE;
  }
}

function knownOfOne(points: CodePoints, ignoreCase: boolean): Known {
  if (countOf(points) > 2 * MAX_MEMBERS) return UNKNOWN;
  const chars = points.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
  );
  if (!chars.every((char) => isPlain(char, ignoreCase))) return UNKNOWN;
  const texts = chars.map((char) => String.fromCodePoint(char));
  const members = new Set(ignoreCase ? texts.map((text) => text.toLowerCase()) : texts);
  return members.size > 0 && members.size <= MAX_MEMBERS ? exactly([...members], true) : UNKNOWN;
}

/** Not a line end, not a surrogate, and without case variants beyond ASCII. */
function isPlain(char: number, ignoreCase: boolean): boolean {
  if (char === 0x0a || char === 0x0d) return false;
  return ignoreCase ? char < 0x80 : char < 0xd800 || char > 0xdfff;
}

function follow(a: Known, b: Known): Known {
  const free = a.free && b.free;
  const inner = better(better(a.inner, b.inner), kept(joined(a.tail, b.head)) ?? [""]);
  const whole = a.whole && b.whole && kept(joined(a.whole, b.whole));
  if (whole) return { ...exactly(whole, free), inner };
  return {
    whole: null,
    head: a.whole ? (kept(joined(a.whole, b.head)) ?? a.whole) : a.head,
    tail: b.whole ? (kept(joined(a.tail, b.whole)) ?? b.whole) : b.tail,
    inner,
    free,
  };
}

function either(a: Known, b: Known): Known {
  const free = a.free && b.free;
  const inner = kept([...a.inner, ...b.inner]) ?? [""];
  const whole = a.whole && b.whole && kept([...a.whole, ...b.whole]);
  if (whole) return { ...exactly(whole, free), inner };
  return {
    whole: null,
    head: kept([...a.head, ...b.head]) ?? [""],
    tail: kept([...a.tail, ...b.tail]) ?? [""],
    inner,
    free,
  };
}

function repeat(part: Known, min: number, max: number): Known {
  if (min === 0) return max === 1 ? either(part, NOTHING) : { ...UNKNOWN, free: part.free };
  let known = part;
  let said = 1;
  while (said < min && said < MAX_TEXTS && known.whole !== null) {
    known = follow(known, part);
    said++;
  }
  return said === max ? known : { ...known, whole: null };
}

function exactly(texts: Texts, free: boolean): Known {
  return { whole: texts, head: texts, tail: texts, inner: texts, free };
}

/** Without duplicates; null if the texts are too many or too long. */
function kept(texts: Texts): Texts | null {
  const each = [...new Set(texts)];
  return each.length <= MAX_TEXTS && each.every((text) => text.length <= MAX_CHARS) ? each : null;
}

function joined(a: Texts, b: Texts): Texts {
  return a.flatMap((first) => b.map((second) => first + second));
}

/** Prefers long texts, which are rare, and few texts, because each costs a search. */
function better(a: Texts, b: Texts): Texts {
  return worth(a) >= worth(b) ? a : b;
}

function worth(texts: Texts): number {
  return shortest(texts) - Math.log2(texts.length) / 2;
}

function shortest(texts: Texts): number {
  return Math.min(...texts.map((text) => Buffer.byteLength(text)));
}

/** Drops a text that contains another one: it adds no information. */
function withoutLonger(texts: Texts): Texts {
  return texts.filter((text) => !texts.some((other) => other !== text && text.includes(other)));
}

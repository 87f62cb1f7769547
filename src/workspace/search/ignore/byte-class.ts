// A class in `[` and `]`, parsed as git does: byte by byte. With a malformed class, the whole glob matches nothing.

export interface ByteClass {
  readonly negated: boolean;
  /** The lowest and the highest byte of each range, one after the other. Never longer than the text of the class. */
  readonly ranges: readonly number[];
}

/** Inclusive ranges: lowest and highest byte, one after the other. In git, `[:space:]` has no vertical tab and no form feed. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["alnum", "09AZaz"],
  ["alpha", "AZaz"],
  ["blank", "\t\t  "],
  ["cntrl", "\x00\x1F\x7F\x7F"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "\t\n\r\r  "],
  ["upper", "AZ"],
  ["xdigit", "09AFaf"],
]);

export function takesByte({ negated, ranges }: ByteClass, byte: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (ranges[at]! <= byte && byte <= ranges[at + 1]!) return !negated;
  }
  return negated;
}

/** The class whose `[` is at `open`, and the end of its text; null if it is malformed. */
export function readByteClass(text: string, open: number): { class: ByteClass; end: number } | null {
  const negated = text[open + 1] === "!" || text[open + 1] === "^";
  const first = open + (negated ? 2 : 1);
  const ranges: number[] = [];
  /** The start of the range if a `-` follows; null if the `-` would be literal. */
  let low: number | null = null;
  for (let at = first; at < text.length; ) {
    if (text[at] === "]" && at > first) return { class: { negated, ranges }, end: at + 1 };
    const member = readMember(text, at, low);
    if (member === null) return null;
    ranges.push(...member.ranges);
    low = member.low;
    at = member.end;
  }
  return null;
}

interface Member {
  readonly ranges: readonly number[];
  readonly low: number | null;
  readonly end: number;
}

function readMember(text: string, at: number, low: number | null): Member | null {
  const next = text[at + 1];
  if (text[at] === "-" && low !== null && next !== undefined && next !== "]") {
    const high = readByte(text, at + 1);
    return high && { ranges: [low, high.byte], low: null, end: high.end };
  }
  if (text[at] === "[" && next === ":") return readNamed(text, at);
  const single = readByte(text, at);
  return single && { ranges: [single.byte, single.byte], low: single.byte, end: single.end };
}

function readByte(text: string, at: number): { byte: number; end: number } | null {
  const place = text[at] === "\\" ? at + 1 : at;
  return place < text.length ? { byte: text.charCodeAt(place), end: place + 1 } : null;
}

/** `[:alpha:]` and similar. Without a `:` before the next `]`, the bracket is literal. */
function readNamed(text: string, at: number): Member | null {
  const close = text.indexOf("]", at + 2);
  if (close < 0) return null;
  if (close === at + 2 || text[close - 1] !== ":") return { ranges: [0x5b, 0x5b], low: 0x5b, end: at + 1 };
  const named = NAMED.get(text.slice(at + 2, close - 1));
  return named === undefined
    ? null
    : { ranges: Array.from(named, (byte) => byte.charCodeAt(0)), low: null, end: close + 1 };
}

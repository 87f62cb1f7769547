// Matches the globs of .gitignore as git does. core/glob.ts differs: it has braces, its `?` is a character where git's is
// a byte, and a malformed class is literal. The time is bounded here too: at most the length of the glob times the length
// of the path.
import { type ByteClass, readByteClass, takesByte } from "./byte-class.ts";

/** A literal byte, `*`, `?`, or a class. */
export type Token = number | ByteClass;
/** One name of a path, or any number of names. */
export type Segment = readonly Token[] | "**";

export const STAR = -1;
const ANY = -2;

/** Null if no path can match: a class is malformed, or the glob ends with a `\`. */
export function parseGitGlob(glob: string): readonly Segment[] | null {
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  for (let at = 0; at < glob.length; ) {
    const slash = slashLength(glob, at);
    const names = tokens.length === 0 ? readManyNames(glob, at) : null;
    if (names !== null) {
      segments.push(...names.segments);
      at = names.end;
      if (at > glob.length) return segments;
    } else if (slash > 0) {
      segments.push(tokens);
      tokens = [];
      at += slash;
    } else {
      const read = readToken(glob, at);
      if (read === null) return null;
      tokens.push(read.token);
      at = read.end;
    }
  }
  return [...segments, tokens];
}

/** An escaped slash separates names too. */
function slashLength(glob: string, at: number): number {
  if (glob[at] === "/") return 1;
  return glob[at] === "\\" && glob[at + 1] === "/" ? 2 : 0;
}

/** Two or more stars that are a whole name, with the slash after them. */
function readManyNames(glob: string, at: number): { segments: readonly Segment[]; end: number } | null {
  const stop = starsEnd(glob, at);
  if (stop - at < 2) return null;
  if (glob[stop] === "/") return { segments: ["**"], end: stop + 1 };
  // Only `**` before an unescaped slash also matches zero names.
  if (stop === glob.length) return { segments: [[STAR], "**"], end: stop + 1 };
  return slashLength(glob, stop) > 0 ? { segments: [[STAR], "**"], end: stop + 2 } : null;
}

function starsEnd(glob: string, at: number): number {
  let end = at;
  while (glob[end] === "*") end++;
  return end;
}

function readToken(glob: string, at: number): { token: Token; end: number } | null {
  switch (glob[at]) {
    case "*":
      return { token: STAR, end: starsEnd(glob, at) };
    case "?":
      return { token: ANY, end: at + 1 };
    case "[": {
      const read = readByteClass(glob, at);
      return read && { token: read.class, end: read.end };
    }
    case "\\":
      return at + 1 < glob.length ? { token: glob.charCodeAt(at + 1), end: at + 2 } : null;
    default:
      return { token: glob.charCodeAt(at), end: at + 1 };
  }
}

/** The only path that the segments match; null if they have wildcards. */
export function literalOf(segments: readonly Segment[]): string | null {
  const names = segments.map((segment) => (segment === "**" ? null : literalName(segment)));
  return names.includes(null) ? null : names.join("/");
}

export function literalName(tokens: readonly Token[]): string | null {
  let name = "";
  for (const token of tokens) {
    if (typeof token !== "number" || token < 0) return null;
    name += String.fromCharCode(token);
  }
  return name;
}

/** Greedy; it backtracks only to the last `**`. */
export function matchesPath(segments: readonly Segment[], path: string): boolean {
  let at = 0;
  let wild = -1;
  let retryFrom = 0;
  for (let from = 0; from < path.length; ) {
    const segment = segments[at];
    const end = nameEnd(path, from);
    if (segment === "**") {
      wild = at++;
      retryFrom = from;
    } else if (segment !== undefined && matchesName(segment, path, from, end)) {
      at++;
      from = end + 1;
    } else if (wild >= 0) {
      at = wild + 1;
      retryFrom = nameEnd(path, retryFrom) + 1;
      from = retryFrom;
    } else return false;
  }
  while (segments[at] === "**") at++;
  return at === segments.length;
}

function nameEnd(path: string, from: number): number {
  const slash = path.indexOf("/", from);
  return slash < 0 ? path.length : slash;
}

/** The same within one name; it backtracks only to the last `*`. */
function matchesName(tokens: readonly Token[], path: string, from: number, end: number): boolean {
  const last = tokens.at(-1);
  // Most names have another ending: this avoids trying every position of a star.
  if (last !== undefined && last !== STAR && !takes(last, path.charCodeAt(end - 1))) return false;
  let at = 0;
  let star = -1;
  let retryFrom = from;
  for (let byte = from; byte < end; ) {
    const token = tokens[at];
    if (token === STAR) {
      star = at++;
      retryFrom = byte;
    } else if (token !== undefined && takes(token, path.charCodeAt(byte))) {
      at++;
      byte++;
    } else if (star >= 0) {
      at = star + 1;
      byte = ++retryFrom;
    } else return false;
  }
  while (tokens[at] === STAR) at++;
  return at === tokens.length;
}

function takes(token: Token, byte: number): boolean {
  return typeof token === "number" ? token === byte || token === ANY : takesByte(token, byte);
}

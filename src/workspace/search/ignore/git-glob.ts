// The globs of .gitignore, as git matches them. core/glob.ts can't be used for them: it knows braces, counts
// `?` in characters where git counts bytes, and takes a malformed class literally. No glob can hang this one
// either: time is at most length of glob times length of path.
import { type ByteClass, readByteClass, takesByte } from "./byte-class.ts";

/** A byte that means itself, `*`, `?`, or a class. */
export type Token = number | ByteClass;
/** One name of a path, or any number of names. */
export type Segment = readonly Token[] | "**";

export const STAR = -1;
const ANY = -2;

/** Null when no path can match: a class is malformed, or a `\` stands at the end. */
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

/** An escaped slash parts names as well. */
function slashLength(glob: string, at: number): number {
  if (glob[at] === "/") return 1;
  return glob[at] === "\\" && glob[at + 1] === "/" ? 2 : 0;
}

/** Two or more stars that are all of a name, with the slash behind them. */
function readManyNames(glob: string, at: number): { segments: readonly Segment[]; end: number } | null {
  const stop = starsEnd(glob, at);
  if (stop - at < 2) return null;
  if (glob[stop] === "/") return { segments: ["**"], end: stop + 1 };
  // Only before a plain slash may there be no name at all.
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

/** The one path that the segments match, or null when they have wildcards. */
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

/** Greedy, with one place to fall back to: the last `**`. */
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

/** The same within one name, with the last `*`. */
function matchesName(tokens: readonly Token[], path: string, from: number, end: number): boolean {
  const last = tokens.at(-1);
  // Most names end otherwise: no need to try every place of a star.
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

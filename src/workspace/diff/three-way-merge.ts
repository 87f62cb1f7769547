import { diffLines, type LineEdit } from "./diff-lines.ts";
import { splitLines } from "./text.ts";

export type Merge = { readonly text: string } | { readonly conflict: true };

/** The text that a version has in place of lines of the base. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const CONFLICT: Merge = { conflict: true };

/** Merges both sides' edits of a base. Edits that overlap or touch conflict, unless they are the same. */
export function threeWayMerge(base: string, ours: string, theirs: string): Merge {
  if (ours === theirs || base === theirs) return { text: ours };
  if (base === ours) return { text: theirs };
  if ([base, ours, theirs].some((text) => text.includes("\0"))) return CONFLICT;
  const lines = splitLines(base);
  const merged = mergeBoth(replacements(lines, ours), replacements(lines, theirs));
  return merged === null ? CONFLICT : { text: applyReplacements(lines, merged) };
}

function replacements(base: readonly string[], version: string): Replacement[] {
  const lines = splitLines(version);
  return diffLines(base, lines).map(({ oldStart, oldEnd, newStart, newEnd }: LineEdit) => ({
    start: oldStart,
    end: oldEnd,
    text: lines.slice(newStart, newEnd).join(""),
  }));
}

/** Both lists in order; null if they conflict. */
function mergeBoth(ours: readonly Replacement[], theirs: readonly Replacement[]): Replacement[] | null {
  const all: Replacement[] = [];
  for (let [a, b] = [0, 0]; a < ours.length || b < theirs.length; ) {
    const [our, their] = [ours[a], theirs[b]];
    if (their === undefined || (our !== undefined && our.end < their.start)) all.push(ours[a++]!);
    else if (our === undefined || their.end < our.start) all.push(theirs[b++]!);
    else if (!isSame(our, their)) return null;
    else {
      all.push(our);
      a++;
      b++;
    }
  }
  return all;
}

function isSame(a: Replacement, b: Replacement): boolean {
  return a.start === b.start && a.end === b.end && a.text === b.text;
}

function applyReplacements(base: readonly string[], replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(base.slice(at, start).join(""), text);
    at = end;
  }
  return pieces.concat(base.slice(at)).join("");
}

// Most edits leave most lines unchanged: only the lines near a difference are split.
import { splitLines } from "./text.ts";

export interface NearLines {
  /** Number of lines that both texts have before these. */
  readonly skipped: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The lines from the first to the last difference, with at least `around` equal lines before and after. */
export function linesNear(before: string, after: string, around: number): NearLines {
  const differing = lineStart(before, commonHead(before, after));
  const start = linesBack(before, differing, around);
  const tail = commonTail(before, after, differing);
  const end = linesOn(before, nextLine(before, before.length - tail), around);
  return {
    skipped: countLines(before, start),
    before: splitLines(before.slice(start, end)),
    after: splitLines(after.slice(start, after.length - (before.length - end))),
  };
}

function commonHead(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  return length;
}

/** Excludes the common head, which may consist of the same text. */
function commonTail(before: string, after: string, head: number): number {
  const [oldEnd, newEnd] = [before.length - 1, after.length - 1];
  const most = Math.min(before.length, after.length) - head;
  let length = 0;
  while (length < most && before.charCodeAt(oldEnd - length) === after.charCodeAt(newEnd - length)) length++;
  return length;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function nextLine(text: string, at: number): number {
  return text.indexOf("\n", at) + 1 || text.length;
}

function linesBack(text: string, from: number, lines: number): number {
  let at = from;
  for (let back = 0; back < lines && at > 0; back++) at = lineStart(text, at - 1);
  return at;
}

function linesOn(text: string, from: number, lines: number): number {
  let at = from;
  for (let on = 0; on < lines && at < text.length; on++) at = nextLine(text, at);
  return at;
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = 0; at < end; at = nextLine(text, at)) lines++;
  return lines;
}

import { createHash } from "node:crypto";
import { HotcellError } from "../../core/errors.ts";
import type { Hunk } from "./changes.ts";
import { diffLines, type LineEdit } from "./diff-lines.ts";
import { linesNear, type NearLines } from "./lines-near.ts";
import { splitLines } from "./text.ts";

export { threeWayMerge } from "./three-way-merge.ts";

const CONTEXT_LINES = 3;
/** Long enough that nobody can construct two hunks with one id. */
const ID_CHARS = 40;
const NO_NEWLINE = "\\ No newline at end of file";

/** The hunks that turn one text into the other. */
export function hunksOf(path: string, beforeText: string, afterText: string): Hunk[] {
  const near = linesNear(beforeText, afterText, CONTEXT_LINES);
  const seen = new Map<string, number>();
  return groupEdits(diffLines(near.before, near.after)).map((edits) => {
    const hunk = hunkOf(edits, near);
    const text = JSON.stringify([path, hunk.lines]);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    const id = createHash("sha256").update(`${times}${text}`).digest("hex").slice(0, ID_CHARS);
    return { id, ...hunk };
  });
}

/** Edits whose context lines would touch belong to one hunk. */
function groupEdits(edits: readonly LineEdit[]): LineEdit[][] {
  const groups: LineEdit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && edit.oldStart - last.oldEnd <= 2 * CONTEXT_LINES) groups.at(-1)!.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function hunkOf(edits: readonly LineEdit[], { skipped, before, after }: NearLines): Omit<Hunk, "id"> {
  const [first, last] = [edits[0]!, edits.at(-1)!];
  const start = Math.max(0, first.oldStart - CONTEXT_LINES);
  const end = Math.min(before.length, last.oldEnd + CONTEXT_LINES);
  const lines: string[] = [];
  const take = (sign: string, from: readonly string[], at: number, to: number): void => {
    for (const line of from.slice(at, to)) {
      if (line.endsWith("\n")) lines.push(sign + line.slice(0, -1));
      else lines.push(sign + line, NO_NEWLINE);
    }
  };
  let at = start;
  for (const edit of edits) {
    take(" ", before, at, edit.oldStart);
    take("-", before, edit.oldStart, edit.oldEnd);
    take("+", after, edit.newStart, edit.newEnd);
    at = edit.oldEnd;
  }
  take(" ", before, at, end);
  const newStart = first.newStart - (first.oldStart - start);
  const newEnd = last.newEnd + (end - last.oldEnd);
  const oldSpan = spanOf(skipped + start, skipped + end);
  const newSpan = spanOf(skipped + newStart, skipped + newEnd);
  return {
    header: `@@ -${formatSpan(oldSpan)} +${formatSpan(newSpan)} @@`,
    lines,
    oldStart: oldSpan.start,
    oldLines: oldSpan.lines,
    newStart: newSpan.start,
    newLines: newSpan.lines,
  };
}

interface Span {
  readonly start: number;
  readonly lines: number;
}

/** Lines are counted from 1; an empty span starts at the line before it. */
function spanOf(start: number, end: number): Span {
  return { start: end > start ? start + 1 : start, lines: end - start };
}

const formatSpan = ({ start, lines }: Span): string => (lines === 1 ? `${start}` : `${start},${lines}`);

/** Applies only these hunks to the text. */
export function applyHunks(beforeText: string, hunks: readonly Hunk[]): string {
  const before = splitLines(beforeText);
  const result: string[] = [];
  let at = 0;
  const copyUntil = (end: number): void => {
    for (; at < end; at++) result.push(before[at]!);
  };
  for (const hunk of hunks.toSorted((a, b) => a.oldStart - b.oldStart)) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (start < at || start > before.length) throw staleHunk(hunk);
    copyUntil(start);
    for (const { sign, line } of signedLines(hunk)) {
      if (sign === "+") result.push(line);
      else if (before[at] !== line) throw staleHunk(hunk);
      else if (sign === " ") copyUntil(at + 1);
      else at++;
    }
  }
  copyUntil(before.length);
  return result.join("");
}

function* signedLines({ lines }: Hunk): Generator<{ readonly sign: string; readonly line: string }> {
  for (const [index, line] of lines.entries()) {
    if (line === NO_NEWLINE) continue;
    const newline = lines[index + 1] === NO_NEWLINE ? "" : "\n";
    yield { sign: line[0]!, line: line.slice(1) + newline };
  }
}

function staleHunk({ id, header }: Hunk): HotcellError {
  return new HotcellError(
    "PRECONDITION_FAILED",
    `Could not apply the hunk ${id} (${header}): the file is another version. Take the diff again.`,
    { hunk: id },
  );
}

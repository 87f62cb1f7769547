// Parses the unified diff of one file, as `diff -u` and git write it. It ignores names: the caller knows the file.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { splitLines } from "../../workspace/diff/text.ts";

export interface DiffHunk {
  /** Counted from 1. */
  readonly number: number;
  readonly header: string;
  /** The number of lines of the file before the hunk. */
  readonly start: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  /** With its newline, if it has one. */
  readonly text: string;
}

/** The lines of a diff, and the position of the parser. */
interface Reading {
  readonly lines: readonly string[];
  /** Empty lines may follow the last line of the diff. One of them may be a context line. */
  readonly end: number;
  at: number;
}

interface Counts {
  old: number;
  new: number;
}

// The start of the new side follows from the old side and the hunks before, so it is not checked.
const HUNK_HEADER = /^@@ -(?<start>\d{1,9})(?:,(?<old>\d{1,9}))? \+\d{1,9}(?:,(?<new>\d{1,9}))? @@/;
const PASSED_OVER = /^(diff --git|index(?= [\da-f]+\.\.[\da-f]+)|---|\+\+\+) /;
const BEYOND_TEXT =
  /^(?:(?:old|new|deleted file|new file) mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) |GIT binary patch|Binary files )/;

/** Throws PATCH_FAILED. */
export function parseUnifiedDiff(diff: string): DiffHunk[] {
  const lines = splitLines(diff);
  const reading = { lines, end: lines.findLastIndex((line) => line.trim() !== "") + 1, at: 0 };
  passFileHeader(reading);
  const hunks: DiffHunk[] = [];
  while (reading.at < reading.end) hunks.push(readHunk(reading, hunks.length + 1));
  if (hunks.length === 0) throw unreadable("it has no hunk: no line begins with @@");
  return hunks;
}

function passFileHeader(reading: Reading): void {
  const seen = new Set<string>();
  for (; reading.at < reading.end && !reading.lines[reading.at]!.startsWith("@@ "); reading.at++) {
    const kind = PASSED_OVER.exec(reading.lines[reading.at]!)?.[1];
    if (kind === undefined) throw unexpected(reading);
    if (seen.has(kind)) throw manyFiles(reading);
    seen.add(kind);
  }
}

function readHunk(reading: Reading, number: number): DiffHunk {
  const found = HUNK_HEADER.exec(reading.lines[reading.at]!);
  if (!found) throw unexpected(reading);
  const { start = "0", old = "1", new: added = "1" } = found.groups!;
  const counts = { old: Number(old), new: Number(added) };
  const header = found[0];
  if (Number(start) === 0 && counts.old > 0) throw unreadable(`hunk ${number} (${header}) begins at line 0`);
  reading.at++;
  // For an empty range, the header has the number of the line before it.
  const before = counts.old > 0 ? Number(start) - 1 : Number(start);
  return { number, header, start: before, lines: readLines(reading, counts, `hunk ${number} (${header})`) };
}

/** A hunk ends by the counts of its header, because a removed line may look like a file header. */
function readLines(reading: Reading, counts: Counts, name: string): DiffLine[] {
  const lines: DiffLine[] = [];
  while (counts.old > 0 || counts.new > 0) {
    const line = readLine(reading);
    if (line === null) throw unreadable(`${name} has fewer lines than its header says`);
    if (line.sign !== "+") counts.old--;
    if (line.sign !== "-") counts.new--;
    lines.push(line);
  }
  const next = reading.lines[reading.at] ?? "";
  if (counts.old < 0 || counts.new < 0 || (/^[-+ ]/.test(next) && !PASSED_OVER.test(next))) {
    throw unreadable(`${name} has more lines than its header says`);
  }
  return lines;
}

function readLine(reading: Reading): DiffLine | null {
  const line = reading.lines[reading.at] ?? "";
  // Editors remove the trailing space of an empty context line.
  const signed = /^\r?\n$/.test(line) ? ` ${line}` : line;
  const sign = signed[0];
  if (sign !== " " && sign !== "-" && sign !== "+") return null;
  reading.at++;
  const text = signed.slice(1).replace(/\n$/, "");
  if (!reading.lines[reading.at]?.startsWith("\\ ")) return { sign, text: `${text}\n` };
  reading.at++;
  return { sign, text };
}

function unexpected(reading: Reading): HotcellError {
  const line = reading.lines[reading.at]!.trimEnd();
  if (PASSED_OVER.test(line)) return manyFiles(reading);
  if (BEYOND_TEXT.test(line)) {
    return unreadable(`${quote(line)} changes more than lines of text, which fs.apply_patch cannot do`);
  }
  return unreadable(`its line ${reading.at + 1} does not belong to a unified diff: ${quote(line)}`);
}

const manyFiles = ({ at }: Reading): HotcellError =>
  unreadable(`a second file begins at its line ${at + 1}; send one patch for each file`);

function unreadable(reason: string): HotcellError {
  return new HotcellError("PATCH_FAILED", `Could not read the patch: ${reason}. Create a new patch.`);
}

import { type ErrorDetails, HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { splitLines } from "../../workspace/diff/text.ts";
import { findAll } from "./find-all.ts";
import { type DiffHunk, parseUnifiedDiff } from "./parse-unified-diff.ts";

/** The lines of the file, and how many of them were consumed. */
interface Applying {
  readonly before: readonly string[];
  readonly after: string[];
  at: number;
}

/** If a line differs only after this many characters, the message omits the text before. */
const SHOWN_CHARS = 40;

/**
 * Every context line and every removed line must be in the file at the position in the hunk's header. There is no fuzzy
 * search. Throws PATCH_FAILED.
 */
export function applyUnifiedDiff(text: string, diff: string): string {
  const applying: Applying = { before: splitLines(text), after: [], at: 0 };
  const hunks = parseUnifiedDiff(diff);
  for (const hunk of hunks) applyHunk(applying, hunk);
  copyUntil(applying, applying.before.length, hunks.at(-1)!);
  return applying.after.join("");
}

function applyHunk(applying: Applying, hunk: DiffHunk): void {
  const { before, at: from } = applying;
  if (hunk.start < from) throw unfit(hunk, "it begins before the end of the previous hunk");
  const elsewhere = () => nextStep(hunk, before.slice(from), from);
  if (hunk.start > before.length)
    throw unfit(hunk, `the file ends after line ${before.length}`, {}, elsewhere());
  copyUntil(applying, hunk.start, hunk);
  for (const { sign, text } of hunk.lines) {
    if (sign !== "+" && before[applying.at] !== text)
      throw unfit(hunk, mismatch(applying, text), { line: applying.at + 1 }, elsewhere());
    if (sign !== "+") applying.at++;
    if (sign !== "-") put(applying, text, hunk);
  }
}

function copyUntil(applying: Applying, end: number, hunk: DiffHunk): void {
  for (; applying.at < end; applying.at++) put(applying, applying.before[applying.at]!, hunk);
}

function put({ after }: Applying, line: string, hunk: DiffHunk): void {
  const last = after.at(-1);
  if (last !== undefined && !last.endsWith("\n")) {
    throw unfit(hunk, `${quote(last)} has no newline at its end, but another line would follow`);
  }
  after.push(line);
}

function mismatch({ before, at }: Applying, expected: string): string {
  const found = before[at];
  const line = at + 1;
  if (found === undefined)
    return `line ${line} should be ${quote(bare(expected))}, but the file ends before it`;
  if (bare(found) === bare(expected)) {
    const ends = `should end with ${endOf(expected)}, but ends with ${endOf(found)}`;
    return `line ${line}, ${quote(bare(found))}, ${ends}`;
  }
  const [wanted, there] = shownApart(bare(expected), bare(found));
  return `line ${line} should be ${wanted}, but is ${there}`;
}

function shownApart(expected: string, found: string): string[] {
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same++;
  const from = same > SHOWN_CHARS ? same - SHOWN_CHARS / 2 : 0;
  return [expected, found].map((text) => (from > 0 ? "…" : "") + quote(text.slice(from)));
}

const bare = (line: string): string => line.replace(/\r?\n$/, "");

function endOf(line: string): string {
  if (line.endsWith("\r\n")) return "CR LF";
  return line.endsWith("\n") ? "LF" : "no newline";
}

/** Only for the message. Whether the hunk is meant for lines elsewhere in the file, the author of the patch must decide. */
function nextStep(hunk: DiffHunk, rest: readonly string[], passed: number): string {
  const [line, another] = fittingLines(hunk, rest);
  if (line === undefined || another !== undefined) return MAKE_ANEW;
  return `The hunk applies at line ${passed + line}. Use that number in its header.`;
}

/** The first two lines, from 1, at which all its old lines follow one another. */
function fittingLines(hunk: DiffHunk, rest: readonly string[]): number[] {
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
  const [text, wanted] = [rest.join(""), old.join("")];
  const lines: number[] = [];
  let [line, counted] = [1, 0];
  if (wanted === "") return lines;
  for (const offset of findAll(text, wanted)) {
    const end = offset + wanted.length;
    const isWhole = wanted.endsWith("\n") || end === text.length;
    if (!isWhole || (offset > 0 && text[offset - 1] !== "\n")) continue;
    for (; counted < offset; counted++) if (text[counted] === "\n") line++;
    if (lines.push(line) === 2) break;
  }
  return lines;
}

const MAKE_ANEW = "Read the file again and create a new patch.";

function unfit(
  { number, header }: DiffHunk,
  reason: string,
  details: ErrorDetails = {},
  next: string = MAKE_ANEW,
): HotcellError {
  return new HotcellError("PATCH_FAILED", `Could not apply hunk ${number} (${header}): ${reason}. ${next}`, {
    hunk: number,
    ...details,
  });
}

import { type ErrorDetails, HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { splitLines } from "../../workspace/diff/text.ts";
import { type DiffHunk, parseUnifiedDiff } from "./parse-unified-diff.ts";

/** Lines of the file, and how many of them are used up. */
interface Applying {
  readonly before: readonly string[];
  readonly after: string[];
  at: number;
}

/** A difference so far in a long line is shown without what stands before it. */
const SHOWN_CHARS = 40;

/**
 * Every line of context and every removed line must be in the file where the hunk's header says: nothing is
 * searched for. Throws PATCH_FAILED.
 */
export function applyUnifiedDiff(text: string, diff: string): string {
  const applying: Applying = { before: splitLines(text), after: [], at: 0 };
  const hunks = parseUnifiedDiff(diff);
  for (const hunk of hunks) applyHunk(applying, hunk);
  copyUntil(applying, applying.before.length, hunks.at(-1)!);
  return applying.after.join("");
}

function applyHunk(applying: Applying, hunk: DiffHunk): void {
  const { before } = applying;
  if (hunk.start < applying.at) throw unfit(hunk, "it begins before the hunk above it ends");
  if (hunk.start > before.length) throw unfit(hunk, `the file ends after line ${before.length}`);
  copyUntil(applying, hunk.start, hunk);
  for (const { sign, text } of hunk.lines) {
    if (sign !== "+" && before[applying.at] !== text) throw mismatch(hunk, applying, text);
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
    throw unfit(hunk, `${quote(last)} has no newline at its end, and another line would follow it`);
  }
  after.push(line);
}

function mismatch(hunk: DiffHunk, { before, at }: Applying, expected: string): HotcellError {
  const found = before[at];
  const line = at + 1;
  if (found === undefined) {
    return unfit(hunk, `line ${line} should be ${quote(bare(expected))}, and the file ends before it`, {
      line,
    });
  }
  if (bare(found) === bare(expected)) {
    const ends = `should end with ${endOf(expected)}, and ends with ${endOf(found)}`;
    return unfit(hunk, `line ${line}, ${quote(bare(found))}, ${ends}`, { line });
  }
  const [wanted, there] = shownApart(bare(expected), bare(found));
  return unfit(hunk, `line ${line} should be ${wanted}, and is ${there}`, { line });
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

function unfit({ number, header }: DiffHunk, reason: string, details: ErrorDetails = {}): HotcellError {
  return new HotcellError(
    "PATCH_FAILED",
    `Could not apply hunk ${number} (${header}): ${reason}. Read the file again and make the patch anew.`,
    { hunk: number, ...details },
  );
}

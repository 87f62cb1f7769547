import type { Change } from "./changes.ts";
import { quotePath } from "./quote-path.ts";
import { isTooLarge, shownChanges } from "./shown-changes.ts";

const MAX_LABEL_CHARS = 60;
const MAX_BAR_CHARS = 40;

/** One line per change, and a summary. */
export function statText(changes: readonly Change[]): string {
  const shown = shownChanges(changes);
  const labels = shown.map(labelOf);
  const longest = (lengths: readonly number[]): number => lengths.reduce((a, b) => Math.max(a, b), 1);
  const width = Math.min(MAX_LABEL_CHARS, longest(labels.map(({ length }) => length)));
  const scale = Math.min(1, MAX_BAR_CHARS / longest(shown.map(({ added, removed }) => added + removed)));
  const rows = shown.map(
    (change, index) => ` ${labels[index]!.padEnd(width)} | ${detailOf(change, scale)}\n`,
  );
  return rows.join("") + sumOf(shown);
}

function labelOf({ path, from, before, after }: Change): string {
  if (from !== undefined) return `${quotePath(from)} => ${quotePath(path)}`;
  return quotePath((after ?? before)!.kind === "directory" ? `${path}/` : path);
}

function detailOf(change: Change, scale: number): string {
  return [eventOf(change), modesOf(change), contentOf(change, scale)]
    .filter((text) => text !== "")
    .join(", ");
}

function eventOf({ kind, before, after, leadsOutside }: Change): string {
  const outside = leadsOutside ? " that leads outside the project" : "";
  if (kind === "added") return `new ${after!.kind}${outside}`;
  if (kind === "deleted") return `deleted ${before!.kind}`;
  if (kind === "type") return `${before!.kind} -> ${after!.kind}${outside}`;
  if (kind === "symlink")
    return leadsOutside ? "symlink leads outside the project" : "symlink target changed";
  return kind === "renamed" ? "renamed" : "";
}

function modesOf({ kind, before, after }: Change): string {
  if (before === null || after === null || before.mode === after.mode || kind === "type") return "";
  return `mode ${before.mode.toString(8)} -> ${after.mode.toString(8)}`;
}

function contentOf(change: Change, scale: number): string {
  const { before, after, binary, added, removed, unlisted, secret } = change;
  if (unlisted) return "with entries that are too deep to list";
  if (secret) return "secret";
  const sizes = `${before?.size ?? 0} -> ${after?.size ?? 0} bytes`;
  if (binary) return `binary, ${sizes}`;
  if (isTooLarge(change)) return `too large to show, ${sizes}`;
  if (added + removed === 0) return "";
  return `${added + removed} ${"+".repeat(Math.ceil(added * scale))}${"-".repeat(Math.ceil(removed * scale))}`;
}

const formatLineCount = (lines: number): string => `${lines} ${lines === 1 ? "line" : "lines"}`;

function sumOf(changes: readonly Change[]): string {
  const [added, removed] = changes.reduce(([a, r], change) => [a + change.added, r + change.removed], [0, 0]);
  return ` ${changes.length} changed, ${formatLineCount(added)} added, ${formatLineCount(removed)} removed\n`;
}

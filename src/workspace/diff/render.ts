// Changes as text: for people, and as a patch for `git apply`.

import { type TreeReader, unlessVanished } from "../fs/tree-reader.ts";
import { blobId } from "../git/blob-id.ts";
import { binaryPatch } from "./binary-patch.ts";
import type { Change, Hunk, Side } from "./changes.ts";
import { NO_LINES } from "./contents.ts";
import { hunksOf } from "./hunks.ts";
import { quotePath } from "./quote-path.ts";
import { isInGit, isTooLarge, shownChanges, touchesGit } from "./shown-changes.ts";
import { bytesOf } from "./text.ts";

export { statText } from "./stat-text.ts";

/** Sources of binary and large files, which a patch contains whole. */
export interface PatchReaders {
  readonly before: Pick<TreeReader, "read">;
  readonly after: Pick<TreeReader, "read">;
}

type ModeOf = (side: Side) => string;

const FILE_TYPES: Readonly<Record<Side["kind"], string>> = {
  file: "10",
  directory: "04",
  symlink: "12",
  fifo: "01",
  socket: "14",
  device: "02",
};

/** For people: all changes, including those that a patch cannot express. */
export function unifiedText(changes: readonly Change[]): string {
  const sections = shownChanges(changes).flatMap(sectionsOf);
  return sections
    .map((section) => linesText([...headerOf(section, fullMode), ...shownBody(section)]))
    .join("");
}

/** For `git apply`, in pieces. Leaves out secrets, directories, special files, modes that git does not store, and everything in a `.git`. */
export function* patchText(changes: readonly Change[], readers: PatchReaders): Generator<Buffer, void, void> {
  for (const section of changes.flatMap(outsideGit).flatMap(sectionsOf)) {
    if (!isInPatch(section)) continue;
    if (section.binary || isTooLarge(section)) yield* wholeFiles(section, readers);
    else yield bytesOf(linesText([...headerOf(section, gitMode), ...textBody(section)]));
  }
}

/** For a file that was moved out of a `.git` or into one, the end outside. */
function outsideGit(change: Change): Change[] {
  if (!touchesGit(change)) return [change];
  const { from, ...end } = change;
  if (from === undefined) return [];
  if (!isInGit(from)) return [{ ...end, path: from, kind: "deleted", after: null }];
  return isInGit(change.path) ? [] : [{ ...end, kind: "added", before: null }];
}

/** Splits a change of type into a removal and an addition. */
function sectionsOf(change: Change): Change[] {
  if (change.kind !== "type") return [change];
  const [before, after] = [change.before!, change.after!];
  return [
    { ...change, kind: "deleted", after: null, ...(before.kind === "file" ? {} : NO_LINES) },
    { ...change, kind: "added", before: null, ...(after.kind === "file" ? {} : NO_LINES) },
  ];
}

const fullMode: ModeOf = ({ kind, mode }) =>
  kind === "symlink" ? "120000" : FILE_TYPES[kind] + mode.toString(8).padStart(4, "0");

const gitMode: ModeOf = ({ kind, mode }) => {
  if (kind === "symlink") return "120000";
  return (mode & 0o100) === 0 ? "100644" : "100755";
};

function headerOf({ path, from = path, before, after }: Change, modeOf: ModeOf): string[] {
  const lines = [`diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${path}`)}`];
  if (before === null) lines.push(`new ${nounOf(after!)} mode ${modeOf(after!)}`);
  else if (after === null) lines.push(`deleted ${nounOf(before)} mode ${modeOf(before)}`);
  else if (modeOf(before) !== modeOf(after))
    lines.push(`old mode ${modeOf(before)}`, `new mode ${modeOf(after)}`);
  if (from === path) return lines;
  return [
    ...lines,
    "similarity index 100%",
    `rename from ${quotePath(from)}`,
    `rename to ${quotePath(path)}`,
  ];
}

/** Git treats a link as a file. */
const nounOf = ({ kind }: Side): string => (kind === "symlink" ? "file" : kind);

function shownBody(section: Change): string[] {
  if (section.leadsOutside && section.after !== null)
    return [`The link ${quotePath(section.path)} leads outside the project`, ...textBody(section)];
  if (section.secret) return [`Content not shown: ${quotePath(section.path)} has a secret's name`];
  const [old, now] = namesOf(section);
  const sizes = `${section.before?.size ?? 0} -> ${section.after?.size ?? 0} bytes`;
  if (section.unlisted) return [`Entries of ${quotePath(section.path)} are too deep to be listed`];
  if (section.binary) return [`Binary files ${old} and ${now} differ`];
  if (isTooLarge(section)) return [`File ${quotePath(section.path)} is too large to show: ${sizes}`];
  return textBody(section);
}

function textBody(section: Change): string[] {
  const hunks = hunksIn(section);
  if (hunks.length === 0) return [];
  const [old, now] = namesOf(section).map((name) => (name.includes(" ") ? `${name}\t` : name));
  return [`--- ${old}`, `+++ ${now}`, ...hunks.flatMap(({ header, lines }) => [header, ...lines])];
}

/** A link's content is its target. */
function hunksIn({ path, before, after, hunks }: Change): readonly Hunk[] {
  if ((before ?? after)!.kind !== "symlink") return hunks;
  return hunksOf(path, before?.target ?? "", after?.target ?? "");
}

function namesOf({ path, before, after }: Change): [string, string] {
  return [
    before === null ? "/dev/null" : quotePath(`a/${path}`),
    after === null ? "/dev/null" : quotePath(`b/${path}`),
  ];
}

function isInPatch({ kind, before, after, secret }: Change): boolean {
  if (secret) return false;
  const { kind: fileKind } = (before ?? after)!;
  if (fileKind !== "file" && fileKind !== "symlink") return false;
  return kind !== "mode" || gitMode(before!) !== gitMode(after!);
}

function* wholeFiles(section: Change, readers: PatchReaders): Generator<Buffer> {
  const { path, before, after } = section;
  const old = before && unlessVanished(() => readers.before.read(path), null);
  const now = after && unlessVanished(() => readers.after.read(path), null);
  if (old === null && now === null) return;
  const header = headerOf({ ...section, before: old && before, after: now && after }, gitMode);
  yield bytesOf(linesText([...header, `index ${idOf(old)}..${idOf(now)}`]));
  yield binaryPatch(old, now);
}

const NO_FILE = "0".repeat(40);
const idOf = (content: Buffer | null): string => (content === null ? NO_FILE : blobId(content));

const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

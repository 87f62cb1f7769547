// The changes between two trees, computed only where a layer has entries. The cost depends on the changed names and
// the listings of their directories, not on the size of the trees.
import { type Protection, type ProtectionClass, pathsBehindLink } from "../../policy/protected.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { Vanished } from "../fs/tree-reader.ts";
import type { Change, ChangeKind, Side } from "./changes.ts";
import { type ComparedTrees, type EntryPair, type PairOptions, visitPairs } from "./compare-entries.ts";
import { type ContentChange, createContentComparison, createPlainComparison, NO_LINES } from "./contents.ts";
import { judgedPaths } from "./judged-paths.ts";
import { pairRenames } from "./renames.ts";

export interface DiffInput extends ComparedTrees, PairOptions {
  /** The descriptor of the project's directory. */
  readonly project: number;
  /** A directory's path ends in `/`. */
  readonly protectionOf: (path: string) => Protection | null;
  /** Whether two regular files of equal size have the same bytes. If given, changes have no hunks, and `binary` is not determined. */
  readonly isSameFile?: (path: string) => Cooperative<boolean>;
}

/** Sorted by path. */
export function* diffTrees(input: DiffInput): Cooperative<Change[]> {
  const judge = (pair: EntryPair): Judged => {
    const own = judgedPaths(pair.path, isDirectory(pair));
    const judged = isLink(pair) ? [...own, ...pathsBehindLink(own[0]!)] : own;
    const found = judged.map((path) => input.protectionOf(path)).find((protection) => protection !== null);
    const isSecret = own.some((path) => input.protectionOf(path)?.read === "refuse");
    return { protection: found?.class ?? null, isSecret };
  };
  const { isSameFile } = input;
  const compareContents =
    isSameFile === undefined ? createContentComparison(input) : createPlainComparison(isSameFile);
  const changes: Change[] = [];
  const compare = function* (pair: EntryPair): Cooperative<void> {
    yield;
    const { protection, isSecret } = judge(pair);
    let content: ContentChange | null = null;
    try {
      if (pair.from === undefined) content = yield* compareContents(pair, isSecret);
    } catch (error) {
      if (!(error instanceof Vanished)) throw error;
      const left = { ...pair, [error.root === input.project ? "before" : "after"]: null };
      if (left.before !== null || left.after !== null) yield* compare(left);
      return;
    }
    const kind = kindOfChange(pair, content !== null);
    if (kind === null) return;
    // Built field by field: spreading all three objects would take as long as opening a file.
    const { path, from, before, after, calls, unlisted } = pair;
    const { binary, added, removed, hunks } = content ?? NO_LINES;
    const change: Change = {
      path,
      before: isSecret ? withoutTarget(before) : before,
      after: isSecret ? withoutTarget(after) : after,
      calls,
      kind,
      binary,
      added,
      removed,
      hunks,
      protection,
    };
    if (isSecret) changes.push({ ...change, secret: true });
    else
      changes.push(
        from === undefined && !unlisted
          ? change
          : { ...change, ...(from !== undefined && { from }), ...(unlisted && { unlisted }) },
      );
  };
  // Edited files are compared as they are found, so they use up the diff's text limit before added and deleted files.
  const oneSided: EntryPair[] = [];
  const secrets: EntryPair[] = [];
  yield* visitPairs(input, input, function* (pair) {
    if (pair.before !== null && pair.after !== null) yield* compare(pair);
    else if (judge(pair).isSecret) secrets.push(pair);
    else oneSided.push(pair);
  });
  const classOf = (pair: EntryPair) => judge(pair).protection;
  for (const pair of yield* pairRenames(oneSided.sort(byPath), input, classOf)) yield* compare(pair);
  for (const pair of secrets) yield* compare(pair);
  return changes.sort(byPath);
}

interface Judged {
  readonly protection: ProtectionClass | null;
  readonly isSecret: boolean;
}

/** The target of a link is its content. */
const withoutTarget = (side: Side | null): Side | null => side && { ...side, target: null };

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : 1;

/** False if either side is another kind of entry: then the protection rules for files apply. */
function isDirectory({ before, after }: EntryPair): boolean {
  return [before, after].every((side) => side === null || side.kind === "directory");
}

function isLink({ before, after }: EntryPair): boolean {
  return before?.kind === "symlink" || after?.kind === "symlink";
}

/** Null if nothing changed. */
function kindOfChange(
  { from, before, after, unlisted }: EntryPair,
  contentChanged: boolean,
): ChangeKind | null {
  if (from !== undefined) return "renamed";
  if (before === null) return "added";
  if (after === null) return "deleted";
  if (before.kind !== after.kind) return "type";
  if (before.target !== after.target) return "symlink";
  if (contentChanged || unlisted) return "modified";
  return before.kind !== "symlink" && before.mode !== after.mode ? "mode" : null;
}

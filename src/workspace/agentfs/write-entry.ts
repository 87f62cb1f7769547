// Writes an entry of a view into a database, or leaves it out and says why.
import fs from "node:fs";
import type { ComparedTrees, EntryPair } from "../diff/compare-entries.ts";
import { showName } from "../fs/names.ts";
import { chunksOf } from "../fs/open-file.ts";
import { parentOf } from "../fs/path-text.ts";
import type { ReadTree } from "../fs/tree-reader.ts";
import { type Delta, type DeltaStat, isText } from "./delta.ts";

/** An entry that one side has and the other cannot take. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

export interface WrittenView {
  /** Files, links and directories. */
  readonly entries: number;
  readonly whiteouts: number;
  readonly leftOut: readonly LeftOut[];
}

export type IsSecret = (path: string, isDirectory: boolean) => boolean;

/** The entry of the project and that of the view. */
export type WrittenPair = Pick<EntryPair, "path" | "before" | "after" | "unlisted">;

export interface EntryWriter {
  write(pair: WrittenPair): void;
  written(): WrittenView;
}

/** Names of one file have the same identity. Null if there is no such file any more. */
export type IdentityOf = (path: string) => string | null;

/** `before` is the project, `after` the view. Entries are written after their parents, into paths that the database does not have yet. */
export function createEntryWriter(
  trees: ComparedTrees,
  isSecret: IsSecret,
  delta: Delta,
  identityOf: IdentityOf,
): EntryWriter {
  const put = createPut(trees, delta, identityOf);
  const leftOut: LeftOut[] = [];
  let [entries, whiteouts] = [0, 0];
  return {
    write(pair) {
      const { path, before, after, unlisted } = pair;
      const leaveOut = (reason: string) => {
        leftOut.push({ path: showName(path), reason });
        delta.remove(path);
      };
      // What is gone with its directory needs no whiteout.
      const hasParent = delta.hasDirectory(parentOf(path));
      if (!hasParent && after === null) return;
      if (isSecret(path, (after ?? before)!.kind === "directory"))
        return leaveOut("it has the name of a secret");
      if (!hasParent) return leaveOut("its directory is left out");
      if (!isText(path)) return leaveOut("its name is not UTF-8");
      const problem = problemOf(pair);
      if (problem !== null) leaveOut(problem);
      else if (after !== null) {
        put(pair);
        entries++;
        if (unlisted) leftOut.push({ path: showName(path), reason: "entries below it are too deep" });
        return;
      }
      // The project's entry must not appear in place of one that is left out.
      if (before === null) return;
      delta.putWhiteout(path);
      whiteouts++;
    },
    written: () => ({ entries, whiteouts, leftOut }),
  };
}

/** Why a database cannot have the view's entry. */
function problemOf({ after }: WrittenPair): string | null {
  if (after === null || after.kind === "file" || after.kind === "directory") return null;
  if (after.kind !== "symlink") return `it is a ${after.kind}`;
  return isText(after.target!) ? null : "the target of the link is not UTF-8";
}

export const identityIn =
  (tree: ReadTree): IdentityOf =>
  (path) => {
    const found = tree.look(path);
    return found && `${found.dev}:${found.ino}`;
  };

function createPut(
  { before, after }: ComparedTrees,
  delta: Delta,
  identityOf: IdentityOf,
): (pair: WrittenPair) => void {
  /** The inode in the database of each file of the view. */
  const known = new Map<string, number>();
  const putFile = (path: string, stat: DeltaStat, identity: string | null) => {
    const ino = after.withFile(path, (fd) =>
      delta.putFile(path, { ...stat, mtimeMs: fs.fstatSync(fd).mtimeMs }, chunksOf(fd, path)),
    );
    if (identity !== null) known.set(identity, ino);
  };
  return ({ path, before: old, after: side }) => {
    const { changedMs } = after.look(path)!;
    const baseIno = old?.kind === side!.kind ? inodeIn(before, path) : null;
    const stat: DeltaStat = { mode: side!.mode, mtimeMs: changedMs, baseIno };
    const identity = identityOf(path);
    const link = identity === null ? undefined : known.get(identity);
    if (side!.kind === "directory") delta.putDirectory(path, stat);
    else if (side!.kind === "symlink") delta.putSymlink(path, stat, side!.target!);
    else if (link !== undefined) delta.linkFile(path, link);
    else putFile(path, stat, identity);
  };
}

function inodeIn(tree: ReadTree, path: string): number | null {
  const ino = tree.look(path)?.ino ?? null;
  return Number.isSafeInteger(ino) ? ino : null;
}

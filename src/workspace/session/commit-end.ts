// How a commit has ended, for the session that it is of.
import type { CommitResult } from "../commit/apply.ts";
import { committedIn, readSteps, timesUndone } from "../commit/journal.ts";
import { txDirOf } from "./session-commit.ts";

export interface CommitEnd {
  /** Nothing of it was put back at once. */
  readonly isWhole: boolean;
  /** Files in which it has put the session's changes together with somebody else's, or has found them together. */
  readonly merged: readonly string[];
}

export function endOf({ tx, conflicts }: CommitResult, dir: string): CommitEnd {
  const isGivenUp = conflicts.some(({ resolution }) => resolution === "none");
  const resolved = isGivenUp ? [] : conflicts.filter(({ resolution }) => resolution === "merged");
  if (tx === null) return { isWhole: true, merged: resolved.map(({ path }) => path) };
  const txDir = txDirOf(dir, tx);
  const { merged } = committedIn(txDir);
  const stepped = new Set(readSteps(txDir).steps.map(({ path }) => path));
  const found = resolved.map(({ path }) => path).filter((at) => !stepped.has(at));
  return {
    isWhole: timesUndone(txDir) === 0,
    merged: [...[...merged.keys()].filter((at) => merged.get(at)), ...found],
  };
}

import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import type { Change, Hunk } from "../../diff/changes.ts";

/** Paths with everything below them, and single hunks by their ids. */
export type Selection = "all" | { readonly paths: readonly string[]; readonly hunks: readonly string[] };

export interface Picked {
  readonly change: Change;
  /** Null: the whole change. */
  readonly hunks: readonly Hunk[] | null;
}

export function pickChanges(changes: readonly Change[], selection: Selection): Picked[] {
  if (selection === "all") return changes.map((change) => ({ change, hunks: null }));
  checkSelection(changes, selection);
  const ids = new Set(selection.hunks);
  return changes.flatMap((change) => {
    if (selection.paths.some((path) => isSelectedBy(change, path))) return [{ change, hunks: null }];
    const hunks = change.hunks.filter(({ id }) => ids.has(id));
    if (hunks.length === 0) return [];
    // An added, deleted or retyped file has one hunk: the whole change.
    return [{ change, hunks: change.kind === "modified" ? hunks : null }];
  });
}

function isSelectedBy({ path, from }: Change, selected: string): boolean {
  const isBelow = (at: string) => selected === "" || at === selected || at.startsWith(`${selected}/`);
  return isBelow(path) || (from !== undefined && isBelow(from));
}

function checkSelection(changes: readonly Change[], { paths, hunks }: Exclude<Selection, "all">): void {
  const path = paths.find((selected) => !changes.some((change) => isSelectedBy(change, selected)));
  if (path !== undefined) throw notInDiff("the path", path);
  const ids = new Set(changes.flatMap((change) => change.hunks.map(({ id }) => id)));
  const hunk = hunks.find((id) => !ids.has(id));
  if (hunk !== undefined) throw notInDiff("the hunk", hunk);
}

function notInDiff(what: string, value: string): HotcellError {
  const message = `Could not commit ${what} ${quote(value)}: the session's diff has no such change. Look at the diff again.`;
  return new HotcellError("INVALID_ARGUMENTS", message, { value });
}

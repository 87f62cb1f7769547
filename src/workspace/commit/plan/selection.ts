import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import type { Change, Hunk } from "../../diff/changes.ts";

/** Paths with everything below them, and single hunks by their ids. */
export type Selection = "all" | { readonly paths: readonly string[]; readonly hunks: readonly string[] };

export interface SelectedChange {
  readonly change: Change;
  /** Null: the whole change. */
  readonly hunks: readonly Hunk[] | null;
  /** The selection names exactly this path, not only a directory above it. */
  readonly isNamed: boolean;
}

/** Files that git ignores are selected only if they are named. */
export function selectChanges(changes: readonly Change[], selection: Selection): SelectedChange[] {
  if (selection === "all")
    return changes
      .filter(({ ignored }) => ignored === undefined)
      .map((change) => ({ change, hunks: null, isNamed: false }));
  checkSelection(changes, selection);
  const ids = new Set(selection.hunks);
  return changes.flatMap((change) => {
    const isNamed = selection.paths.includes(change.path);
    if (selection.paths.some((path) => isNamedBy(change, path))) return [{ change, hunks: null, isNamed }];
    const hunks = change.hunks.filter(({ id }) => ids.has(id));
    if (hunks.length === 0) return [];
    // An added, deleted or retyped file has one hunk: the whole change.
    return [{ change, hunks: change.kind === "modified" ? hunks : null, isNamed }];
  });
}

/** Changes within the selection that are left out, because git ignores them and they are not named. */
export function ignoredInSelection(changes: readonly Change[], selection: Selection): Change[] {
  const paths = selection === "all" ? [""] : selection.paths;
  return changes.filter(
    (change) =>
      change.ignored !== undefined &&
      paths.some((path) => isSelectedBy(change, path)) &&
      !paths.some((path) => isNamedBy(change, path)),
  );
}

/** Whether the path selects the change. To select an ignored one, it must be ignored itself. */
export function isNamedBy(change: Change, selected: string): boolean {
  const { ignored } = change;
  const isIgnored = selected === ignored || selected.startsWith(`${ignored}/`);
  return isSelectedBy(change, selected) && (ignored === undefined || isIgnored);
}

/** Whether the change is at the path or below it; at either path of a renamed file. */
export function isSelectedBy({ path, from }: Change, selected: string): boolean {
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
  const message = `Could not commit ${what} ${quote(value)}: the session has no such change. The diff of the session lists its changes.`;
  return new HotcellError("INVALID_ARGUMENTS", message, { value });
}

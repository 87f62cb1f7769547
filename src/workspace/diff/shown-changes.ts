import { splitPath } from "../fs/path-text.ts";
import type { Change } from "./changes.ts";

/** Without directories that came or went with something in them: what was in them is shown. One that everybody may write is shown too. */
export function shownChanges(changes: readonly Change[]): Change[] {
  const parents = new Set(changes.map(({ path }) => splitPath(path).directory));
  return changes.filter(({ path, kind, before, after }) => {
    const isWholeDirectory =
      (kind === "added" || kind === "deleted") && (before ?? after)!.kind === "directory";
    const isOpenToAll = after !== null && (after.mode & 0o7002) !== 0;
    return !isWholeDirectory || isOpenToAll || !parents.has(path);
  });
}

/** Git takes no patch of it: it is in what git takes for its own directory, on whatever system. */
export function isInGit(path: string): boolean {
  return path.split("/").some((name) => GIT_NAME.test(name));
}

const GIT_NAME = /^(?:\.git|git~1)[. ]*(?:[:\\].*)?$/is;

/** Of a renamed file, either end. */
export function touchesGit({ path, from = path }: Change): boolean {
  return isInGit(path) || isInGit(from);
}

/** Its lines changed and are not in the diff. */
export function isTooLarge({ kind, before, after, binary, hunks }: Change): boolean {
  if (binary || hunks.length > 0) return false;
  if (kind === "modified") return true;
  const hasLines = [before, after].some((side) => side?.kind === "file" && side.size > 0);
  return hasLines && (kind === "added" || kind === "deleted" || kind === "type");
}

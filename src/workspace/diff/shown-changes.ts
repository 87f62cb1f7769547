import { splitPath } from "../fs/path-text.ts";
import type { Change } from "./changes.ts";

/** Leaves out directories that were added or deleted with their content, because the content is shown. A new directory that is world-writable or has special mode bits is always shown. */
export function shownChanges(changes: readonly Change[]): Change[] {
  const parents = new Set(changes.map(({ path }) => splitPath(path).directory));
  return changes.filter(({ path, kind, before, after }) => {
    const isWholeDirectory =
      (kind === "added" || kind === "deleted") && (before ?? after)!.kind === "directory";
    const isOpenToAll = after !== null && (after.mode & 0o7002) !== 0;
    return !isWholeDirectory || isOpenToAll || !parents.has(path);
  });
}

/** Git accepts no patch for a path in a directory that it takes for its own on any system. */
export function isInGit(path: string): boolean {
  return path.split("/").some((name) => GIT_NAME.test(name));
}

const GIT_NAME = /^(?:\.git|git~1)[. ]*(?:[:\\].*)?$/is;

/** Checks both paths of a renamed file. */
export function touchesGit({ path, from = path }: Change): boolean {
  return isInGit(path) || isInGit(from);
}

/** Whether its lines changed but are not in the diff. */
export function isTooLarge({ kind, before, after, binary, hunks, secret }: Change): boolean {
  if (binary || hunks.length > 0 || secret) return false;
  if (kind === "modified") return true;
  const hasLines = [before, after].some((side) => side?.kind === "file" && side.size > 0);
  return hasLines && (kind === "added" || kind === "deleted" || kind === "type");
}

import { LIMITS } from "../../core/limits.ts";
import type { RootOf } from "../fs/fingerprint.ts";
import type { Root } from "../fs/paths.ts";
import { openRefs } from "./refs.ts";

const BRANCH = /^(HEAD|refs\/stash|refs\/heads\/.+)$/;

/**
 * The ids of the commits that branches, the stash or HEAD lead to in the session and not in the project; null if there
 * are too many. `changed` are the changed paths.
 */
export function findMovedBranches(changed: readonly string[], project: Root, view: RootOf): string[] | null {
  const before = openRefs(() => project);
  const after = openRefs(view);
  const isRepacked = changed.includes(".git/packed-refs");
  const names = [
    ...changed.map((path) => path.slice(".git/".length)),
    ...(isRepacked ? after.packed().keys() : []),
  ];
  const ids = new Set<string>();
  for (const name of names.filter((one) => BRANCH.test(one))) {
    const id = after.resolve(name);
    if (id === null || ids.has(id) || id === before.resolve(name)) continue;
    ids.add(id);
    if (ids.size > LIMITS.maxGitMovedBranches) return null;
  }
  return [...ids];
}

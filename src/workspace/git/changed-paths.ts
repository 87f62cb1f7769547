// What new commits change, compared with their parents.
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { badObjectError, type ObjectName } from "./loose-object.ts";
import { openTree } from "./lost-paths.ts";
import { tooLargeError } from "./new-objects.ts";
import { readCommit, readTreeItems, readTreeOf, type TreeItem } from "./object-references.ts";
import { readGitObject, type SessionObjects } from "./read-git-object.ts";

export interface ChangedPath {
  readonly path: string;
  readonly isDeleted: boolean;
}

/** Trees of less count like this many bytes: a few small trees can name each other very often. */
const SMALLEST_TREE_BYTES = 4096;

/**
 * The wanted files in which one of the commits differs from a parent of it, but not what the project's HEAD has there
 * already: a merge takes that from one of its parents.
 */
export function* findChangedPaths(
  commits: readonly ObjectName[],
  head: ObjectName | null,
  sources: SessionObjects,
  isWanted: (path: string) => boolean,
): Cooperative<ChangedPath[]> {
  const inHead = head === null ? () => null : openTree(head, sources);
  const budget = { bytes: 0 };
  const changed = new Map<string, ChangedPath>();
  const add = (path: string, item: TreeItem | null) => {
    if (!isWanted(path) || isSame(item, inHead(path))) return;
    const isDeleted = item === null && changed.get(path)?.isDeleted !== false;
    changed.set(path, { path, isDeleted });
  };
  for (const commit of commits) {
    const [tree, ...parents] = readCommit(commit.id, readGitObject(commit, sources));
    const before = parents.map((parent) => readTreeOf(parent.id, readGitObject(parent, sources)).id);
    for (const id of parents.length === 0 ? [null] : before)
      yield* compareTrees({ path: "", before: id, after: tree.id }, { sources, budget, add });
  }
  return [...changed.keys()].sort().map((path) => changed.get(path)!);
}

interface Compared {
  /** Empty, or ends in `/`. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Comparing {
  readonly sources: SessionObjects;
  readonly budget: { bytes: number };
  readonly add: (path: string, item: TreeItem | null) => void;
}

function* compareTrees(roots: Compared, { sources, budget, add }: Comparing): Cooperative<void> {
  const itemsOf = (id: string | null): ReadonlyMap<string, TreeItem> => {
    if (id === null) return new Map();
    const content = readGitObject({ id, type: "tree" }, sources);
    budget.bytes += Math.max(content.length, SMALLEST_TREE_BYTES);
    if (budget.bytes > LIMITS.maxGitComparedBytes)
      throw tooLargeError(`${LIMITS.maxGitComparedBytes} bytes of directories`);
    return new Map(readTreeItems(id, content, sources.format).map((item) => [item.name, item]));
  };
  const left = [roots];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.before === next.after) continue;
    const before = itemsOf(next.before);
    const after = itemsOf(next.after);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old = null, item = null] = [before.get(name), after.get(name)];
      if (isSame(old, item)) continue;
      const path = `${next.path}${name}`;
      if (path.length > LIMITS.maxPathBytes)
        throw badObjectError(next.after ?? next.before!, "a path in it is too long");
      left.push({ path: `${path}/`, before: treeIn(old), after: treeIn(item) });
      if (!isSame(fileIn(old), fileIn(item))) add(path, fileIn(item));
    }
    yield;
  }
}

const treeIn = (item: TreeItem | null): string | null => (item?.type === "tree" ? item.id : null);
const fileIn = (item: TreeItem | null): TreeItem | null => (item?.type === "tree" ? null : item);

const isSame = (one: TreeItem | null, other: TreeItem | null): boolean =>
  one?.id === other?.id && one?.mode === other?.mode;

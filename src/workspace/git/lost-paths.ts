import type { Cooperative } from "../fs/cooperative.ts";
import type { ObjectName } from "./loose-object.ts";
import { readTreeItems, readTreeOf, type TreeItem } from "./object-references.ts";
import { readGitObject, type SessionObjects } from "./read-git-object.ts";

type Lookup = (path: string) => TreeItem | null;

/** Which of the paths are no files in a commit. */
export function* findLostPaths(
  tip: ObjectName,
  paths: Iterable<string>,
  sources: SessionObjects,
): Cooperative<string[]> {
  const find = openTree(tip, sources);
  const lost: string[] = [];
  for (const path of paths) {
    if (find(path)?.type !== "blob") lost.push(path);
    yield;
  }
  return lost;
}

/** Finds entries in the tree of a commit. Reads a directory only once. */
export function openTree(commit: ObjectName, sources: SessionObjects): Lookup {
  const known = new Map<string, ReadonlyMap<string, TreeItem>>();
  const itemsOf = (name: ObjectName) => {
    const items =
      known.get(name.id) ??
      new Map(
        readTreeItems(name.id, readGitObject(name, sources), sources.format).map((item) => [item.name, item]),
      );
    known.set(name.id, items);
    return items;
  };
  const root = readTreeOf(commit.id, readGitObject(commit, sources));
  return (path) => {
    const names = path.split("/");
    const last = names.pop()!;
    let at: ObjectName = root;
    for (const name of names) {
      const next = itemsOf(at).get(name);
      if (next?.type !== "tree") return null;
      at = { id: next.id, type: next.type };
    }
    return itemsOf(at).get(last) ?? null;
  };
}

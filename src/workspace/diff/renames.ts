import fs from "node:fs";
import type { Cooperative } from "../fs/cooperative.ts";
import { hashFile } from "../fs/open-file.ts";
import { splitPath } from "../fs/path-text.ts";
import { unlessVanished } from "../fs/tree-reader.ts";
import type { ComparedTrees, EntryPair } from "./compare-entries.ts";
import { unlessClosed } from "./contents.ts";

/** Deleted files and added files. */
interface Candidates {
  readonly deleted: readonly EntryPair[];
  readonly added: readonly EntryPair[];
}

/** Pairs a deleted file with an added one that has the same content and protection class: one to one, preferably of the same name. Pairs are sorted by path. */
export function* pairRenames(
  pairs: readonly EntryPair[],
  trees: ComparedTrees,
  classOf: (pair: EntryPair) => string | null,
): Cooperative<EntryPair[]> {
  const sameSize = groupBy(candidatesIn(pairs), ({ before, after }) => `${(before ?? after)!.size}`);
  const contents = new Map<EntryPair, string>();
  for (const pair of sameSize.flatMap(({ deleted, added }) => [...deleted, ...added]))
    contents.set(pair, `${classOf(pair)} ${yield* unlessClosed(hashOf(pair, trees), `at ${pair.path}`)}`);
  const sameContent = sameSize.flatMap((group) => groupBy(group, (pair) => contents.get(pair)!));
  const origins = new Map(sameContent.flatMap(matchRenames));
  const deleted = new Set(origins.values());
  return pairs
    .filter((pair) => !deleted.has(pair))
    .map((pair) => {
      const origin = origins.get(pair);
      return origin === undefined ? pair : mergePair(origin, pair);
    });
}

function* hashOf({ path, before }: EntryPair, trees: ComparedTrees): Cooperative<string> {
  const tree = before === null ? trees.after : trees.before;
  const file = unlessVanished(() => tree.open(path), null);
  // A key that no other file has.
  if (file === null) return `at ${path}`;
  try {
    return yield* hashFile(file.fd, path);
  } finally {
    fs.closeSync(file.fd);
  }
}

function candidatesIn(pairs: readonly EntryPair[]): Candidates {
  const isFile = (side: EntryPair["before"]) => side?.kind === "file" && side.size > 0;
  return {
    deleted: pairs.filter(({ before, after }) => after === null && isFile(before)),
    added: pairs.filter(({ before, after }) => before === null && isFile(after)),
  };
}

/** The groups that have candidates of both kinds. */
function groupBy({ deleted, added }: Candidates, keyOf: (pair: EntryPair) => string): Candidates[] {
  const groups = new Map<string, { readonly deleted: EntryPair[]; readonly added: EntryPair[] }>();
  for (const pair of deleted) {
    const key = keyOf(pair);
    const group = groups.get(key) ?? { deleted: [], added: [] };
    groups.set(key, group);
    group.deleted.push(pair);
  }
  for (const pair of added) groups.get(keyOf(pair))?.added.push(pair);
  return [...groups.values()].filter((group) => group.added.length > 0);
}

/** Each added file with its origin. */
function matchRenames(all: Candidates): [EntryPair, EntryPair][] {
  const sameName = groupBy(all, ({ path }) => splitPath(path).name).flatMap(inOrder);
  const matched = new Set(sameName.flat());
  const isFree = (pair: EntryPair) => !matched.has(pair);
  return [...sameName, ...inOrder({ deleted: all.deleted.filter(isFree), added: all.added.filter(isFree) })];
}

function inOrder({ deleted, added }: Candidates): [EntryPair, EntryPair][] {
  return added.slice(0, deleted.length).map((pair, index) => [pair, deleted[index]!]);
}

function mergePair(origin: EntryPair, { path, after, calls }: EntryPair): EntryPair {
  return {
    path,
    from: origin.path,
    before: origin.before,
    after,
    calls: [...new Set([...origin.calls, ...calls])],
  };
}

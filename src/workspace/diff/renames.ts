import fs from "node:fs";
import type { Pieces } from "../fs/cooperative.ts";
import { hashFile } from "../fs/open-file.ts";
import { splitPath } from "../fs/path-text.ts";
import { unlessVanished } from "../fs/tree-reader.ts";
import type { ComparedTrees, Pair } from "./compare-entries.ts";
import { unlessClosed } from "./contents.ts";

/** Files that are gone and files that came. */
interface Candidates {
  readonly gone: readonly Pair[];
  readonly come: readonly Pair[];
}

/** Unites a file that is gone with one that came and has the same content: one to one, the same name preferred. Both are of one class of protection. Pairs come in order of their paths. */
export function* uniteRenames(
  pairs: readonly Pair[],
  trees: ComparedTrees,
  classOf: (pair: Pair) => string | null,
): Pieces<Pair[]> {
  const sameSize = groupBy(candidatesIn(pairs), ({ before, after }) => `${(before ?? after)!.size}`);
  const contents = new Map<Pair, string>();
  for (const pair of sameSize.flatMap(({ gone, come }) => [...gone, ...come]))
    contents.set(pair, `${classOf(pair)} ${yield* unlessClosed(hashOf(pair, trees), `at ${pair.path}`)}`);
  const sameContent = sameSize.flatMap((group) => groupBy(group, (pair) => contents.get(pair)!));
  const origins = new Map(sameContent.flatMap(matches));
  const gone = new Set(origins.values());
  return pairs
    .filter((pair) => !gone.has(pair))
    .map((pair) => {
      const origin = origins.get(pair);
      return origin === undefined ? pair : united(origin, pair);
    });
}

function* hashOf({ path, before }: Pair, trees: ComparedTrees): Pieces<string> {
  const tree = before === null ? trees.after : trees.before;
  const file = unlessVanished(() => tree.open(path), null);
  // What no other file has.
  if (file === null) return `at ${path}`;
  try {
    return yield* hashFile(file.fd, path);
  } finally {
    fs.closeSync(file.fd);
  }
}

function candidatesIn(pairs: readonly Pair[]): Candidates {
  const isFile = (side: Pair["before"]) => side?.kind === "file" && side.size > 0;
  return {
    gone: pairs.filter(({ before, after }) => after === null && isFile(before)),
    come: pairs.filter(({ before, after }) => before === null && isFile(after)),
  };
}

/** Those groups that have candidates of both kinds. */
function groupBy({ gone, come }: Candidates, keyOf: (pair: Pair) => string): Candidates[] {
  const groups = new Map<string, { readonly gone: Pair[]; readonly come: Pair[] }>();
  for (const pair of gone) {
    const key = keyOf(pair);
    const group = groups.get(key) ?? { gone: [], come: [] };
    groups.set(key, group);
    group.gone.push(pair);
  }
  for (const pair of come) groups.get(keyOf(pair))?.come.push(pair);
  return [...groups.values()].filter((group) => group.come.length > 0);
}

/** What came, with what it was. */
function matches(alike: Candidates): [Pair, Pair][] {
  const sameName = groupBy(alike, ({ path }) => splitPath(path).name).flatMap(inOrder);
  const matched = new Set(sameName.flat());
  const isFree = (pair: Pair) => !matched.has(pair);
  return [...sameName, ...inOrder({ gone: alike.gone.filter(isFree), come: alike.come.filter(isFree) })];
}

function inOrder({ gone, come }: Candidates): [Pair, Pair][] {
  return come.slice(0, gone.length).map((pair, index) => [pair, gone[index]!]);
}

function united(origin: Pair, { path, after, calls }: Pair): Pair {
  return {
    path,
    from: origin.path,
    before: origin.before,
    after,
    calls: [...new Set([...origin.calls, ...calls])],
  };
}

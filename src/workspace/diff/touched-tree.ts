import type { TouchedDirectory } from "./changes.ts";
import { namesBelow } from "./path-names.ts";

/** A name that stands in layers, and what stands below it. */
export interface TouchedName {
  readonly calls: readonly string[];
  readonly below: ReadonlyMap<string, TouchedName>;
  /** As of its directory. */
  readonly tellsUnion: boolean;
  readonly isAnew: boolean;
}

interface GrowingName extends TouchedName {
  calls: readonly string[];
  readonly below: Map<string, GrowingName>;
  tellsUnion: boolean;
  isAnew: boolean;
}

/** As a tree: a path of thousands of names is kept once, not once for each directory on it. */
export function touchedTree(touched: Iterable<TouchedDirectory>): TouchedName {
  const root = growingName();
  let last = { directory: "", node: root };
  for (const { directory, names, tellsUnion = false, isAnew = false } of touched) {
    const further = namesBelow(last.directory, directory);
    const node = further?.reduce(nameBelow, last.node) ?? namesBelow("", directory)!.reduce(nameBelow, root);
    for (const [name, calls] of names) nameBelow(node, name).calls = calls;
    Object.assign(node, { tellsUnion, isAnew });
    last = { directory, node };
  }
  return root;
}

const growingName = (): GrowingName => ({ calls: [], below: new Map(), tellsUnion: false, isAnew: false });

function nameBelow(node: GrowingName, name: string): GrowingName {
  const known = node.below.get(name);
  if (known !== undefined) return known;
  const made = growingName();
  node.below.set(name, made);
  return made;
}

import type { FileKind } from "../files/workspace-fs.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { isTooDeep, joinPath } from "../fs/path-text.ts";
import { type ReadTree, unlessVanished } from "../fs/tree-reader.ts";
import type { Side, TouchedLayer } from "./changes.ts";

/** The old and the new entry at a path that may have changed. Contents are not compared yet. */
export interface EntryPair {
  readonly path: string;
  /** The path of `before`, if it differs. */
  readonly from?: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly calls: readonly string[];
  readonly unlisted?: true;
}

export interface ComparedTrees {
  readonly before: ReadTree;
  readonly after: ReadTree;
}

export interface PairOptions {
  /** Oldest first. */
  readonly layers: readonly TouchedLayer[];
  /** Whether another file system is mounted at a directory of the project, or above it: the session does not show it. */
  readonly isMounted: (directory: string) => boolean;
  /** Whether the project's entry at this path is hidden as a secret: the session cannot have deleted it. */
  readonly isHidden: (path: string) => boolean;
}

/** A directory on at least one side; the other side may have nothing, or another kind of entry. */
interface Level {
  readonly path: string;
  readonly inBefore: boolean;
  readonly inAfter: boolean;
  /** The layers that have it. */
  readonly layers: readonly TouchedLayer[];
  readonly calls: readonly string[];
  /** Whether it, or a directory above it, was recreated: then it may lack names that no layer has. */
  readonly isRecreated: boolean;
}

/** Visits every name that a layer has. In directories that are on one side only, or were recreated, visits every name and everything below it. Does not go into directories that are too deep. */
export function* visitPairs(
  trees: ComparedTrees,
  { layers, isMounted, isHidden }: PairOptions,
  visit: (pair: EntryPair) => Cooperative<void>,
): Cooperative<void> {
  const levels: Level[] = [
    { path: "", inBefore: true, inAfter: true, layers, calls: [], isRecreated: false },
  ];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    yield;
    const isOnBoth = level.inBefore && level.inAfter;
    const layersNameAll = isOnBoth && (!level.isRecreated || isMounted(level.path));
    for (const name of layersNameAll ? namesIn(level) : namesToCompare(level, trees)) {
      const path = joinPath(level.path, name);
      const { before, after } = lookAt(path, level, trees);
      if (after === null && (before === null || isHidden(path))) continue;
      const found = layersAt(level, name);
      const calls = found.length === 0 ? level.calls : callsOf(found);
      const inBefore = before?.kind === "directory";
      const inAfter = after?.kind === "directory";
      const isDeep = (inBefore || inAfter) && isTooDeep(path);
      const unlisted =
        isDeep && (inBefore !== inAfter || found.some(hasEntries)) && ({ unlisted: true } as const);
      if (!(inBefore && inAfter && isMounted(path)))
        yield* visit({ path, before, after, calls, ...unlisted });
      if (isDeep) continue;
      // A mount in the project is not deleted with its mount point.
      if (!inAfter && (!inBefore || isMounted(path))) continue;
      const below = found.filter(({ entry }) => entry.below !== null);
      const isRecreated =
        level.isRecreated || below.length < found.length || below.some(({ entry }) => entry.isOpaque);
      levels.push({ path, inBefore, inAfter, layers: below, calls, isRecreated });
    }
  }
}

const hasEntries = ({ entry: { below, isOpaque } }: TouchedLayer): boolean =>
  isOpaque || (below !== null && below.size > 0);

const namesIn = ({ layers }: Level): Set<string> =>
  new Set(layers.flatMap(({ entry }) => [...entry.below!.keys()]));

function layersAt({ layers }: Level, name: string): TouchedLayer[] {
  return layers.flatMap(({ entry, call }) => {
    const found = entry.below!.get(name);
    return found === undefined ? [] : [{ entry: found, call }];
  });
}

const callsOf = (layers: readonly TouchedLayer[]): string[] => [
  ...new Set(layers.flatMap(({ call }) => call ?? [])),
];

/** Leaves out names that are on both sides and in no layer: they are the project's own. */
function* namesToCompare(level: Level, { before, after }: ComparedTrees): Generator<string, void, void> {
  const old = kindsIn(before, level.path, level.inBefore);
  const now = kindsIn(after, level.path, level.inAfter);
  const touched = namesIn(level);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const isOnBoth = old.has(name) && now.has(name);
    // The session shows no whiteout, not even one that the project itself has.
    const isWhiteout = level.inAfter && old.get(name) === "device" && !now.has(name);
    if (touched.has(name) || !(isOnBoth || isWhiteout)) yield name;
  }
}

function kindsIn(tree: ReadTree, directory: string, isThere: boolean): Map<string, FileKind> {
  const names = isThere ? unlessVanished(() => tree.list(directory), []) : [];
  return new Map(names.map(({ name, kind }) => [name, kind]));
}

function lookAt(
  path: string,
  { inBefore, inAfter }: Level,
  { before, after }: ComparedTrees,
): Pick<EntryPair, "before" | "after"> {
  const old = inBefore ? before.look(path) : null;
  const now = inAfter ? after.look(path) : null;
  return { before: old?.side ?? null, after: now?.side ?? null };
}

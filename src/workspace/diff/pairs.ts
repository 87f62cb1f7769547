import type { Pieces } from "../pieces.ts";
import type { FileKind } from "../workspace-fs.ts";
import type { Side, TouchedDirectory } from "./changes.ts";
import { judgedPaths } from "./judged-paths.ts";
import { joinPath } from "./path-names.ts";
import { type TouchedName, touchedTree } from "./touched-tree.ts";
import { type Looked, type TreeReader, unlessVanished } from "./tree-reader.ts";

/** What was and what is at a path that may have changed. Contents are not looked at yet. */
export interface Pair {
  readonly path: string;
  /** The path of `before`, where that is another one. */
  readonly from?: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly calls: readonly string[];
}

export interface Trees {
  readonly before: TreeReader;
  readonly after: TreeReader;
}

export interface PairOptions {
  readonly touched: Iterable<TouchedDirectory>;
  /** Layers tell of everything that is gone, but in a directory that was made anew; otherwise each directory in them may hide what is in the project's. */
  readonly tellsAll: boolean;
  /** Whether `after` is an overlay with these layers on what is `before`. */
  readonly isOverlay: boolean;
  /** Whether something else is mounted at a directory of the project, or above it: the view does not show that. */
  readonly isMounted: (directory: string) => boolean;
  readonly isMasked: (path: string) => boolean;
}

interface Presence {
  readonly inBefore: boolean;
  readonly inAfter: boolean;
}

/** A directory on at least one side; on the other may be nothing, or something else. */
interface Level extends Presence {
  readonly path: string;
  /** How many names it has after. */
  readonly links: number;
  /** Undefined where no layer has it: it is gone, or came, with something above it. */
  readonly touched: TouchedName | undefined;
  readonly calls: readonly string[];
  /** Whether it, or a directory above it, was made anew. */
  readonly isAnew: boolean;
}

/** Visits every touched name; and of touched directories every name that is on one side only, with all that is below it. */
export function* visitPairs(
  trees: Trees,
  { touched, tellsAll, isOverlay, isMounted, isMasked }: PairOptions,
  visit: (pair: Pair) => Pieces<void>,
): Pieces<void> {
  const root = touchedTree(touched);
  if (root.below.size === 0) return;
  const links = trees.after.stat("")?.nlink ?? 0;
  const start = { path: "", inBefore: true, inAfter: true, links, touched: root, calls: [], isAnew: false };
  const levels: Level[] = [start];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    yield;
    // What is mounted in the project is not in the view, and is not gone from it either.
    const isOnBoth = level.inBefore && level.inAfter;
    const isAllTold = tellsAll && !level.isAnew;
    const isTold = isOnBoth && (isAllTold || isMounted(level.path) || (isOverlay && isUnited(level)));
    for (const name of isTold ? touchedIn(level) : namesToCompare(level, trees)) {
      const path = joinPath(level.path, name);
      const node = level.touched?.below.get(name);
      const { before, after, links } = lookAt(path, level, trees, isMasked);
      if (before === null && after === null) continue;
      const calls = node?.calls ?? level.calls;
      const inBefore = before?.kind === "directory";
      const inAfter = after?.kind === "directory";
      const isMount = inBefore && inAfter && isMounted(path);
      if (!isMount) yield* visit({ path, before, after, calls });
      const isAnew = level.isAnew || node?.isAnew === true;
      if (inBefore || inAfter) levels.push({ path, inBefore, inAfter, links, touched: node, calls, isAnew });
    }
  }
}

const touchedIn = ({ touched }: Level): Iterable<string> => touched?.below.keys() ?? [];

/** Whether all names that no layer has are the same on both sides. */
const isUnited = ({ touched, links }: Level): boolean => touched?.tellsUnion === true && links === 1;

/** Without those that are on both sides and that no layer has: they are the project's own. */
function* namesToCompare(
  { path: directory, inBefore, inAfter, touched }: Level,
  { before, after }: Trees,
): Generator<string, void, void> {
  const old = kindsIn(before, directory, inBefore);
  const now = kindsIn(after, directory, inAfter);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const isTouched = touched?.below.has(name) === true;
    const isOnBoth = old.has(name) && now.has(name);
    // The view shows no whiteout, also none that is the project's own.
    const isWhiteout = inAfter && old.get(name) === "device" && !now.has(name);
    if (isTouched || !(isOnBoth || isWhiteout)) yield name;
  }
}

function kindsIn(tree: TreeReader, directory: string, isThere: boolean): Map<string, FileKind> {
  const names = isThere ? unlessVanished(() => tree.list(directory), []) : [];
  return new Map(names.map(({ name, kind }) => [name, kind]));
}

interface Found extends Pick<Pair, "before" | "after"> {
  /** Of what is there after; 0 where nothing is. */
  readonly links: number;
}

function lookAt(
  path: string,
  { inBefore, inAfter }: Presence,
  { before, after }: Trees,
  isMasked: (path: string) => boolean,
): Found {
  const old = inBefore ? before.look(path) : null;
  const now = inAfter ? after.look(path) : null;
  const hidden = new Map<boolean, boolean>();
  const shown = (found: Looked | null): Side | null => {
    if (found === null) return null;
    const isDirectory = found.side.kind === "directory";
    const isHidden = hidden.get(isDirectory) ?? judgedPaths(path, isDirectory).some(isMasked);
    hidden.set(isDirectory, isHidden);
    return isHidden ? null : found.side;
  };
  return { before: shown(old), after: shown(now), links: now?.links ?? 0 };
}

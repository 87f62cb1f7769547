import type { Pieces } from "../pieces.ts";
import type { FileKind } from "../workspace-fs.ts";
import type { Side, TouchedDirectory } from "./changes.ts";
import { judgedPaths } from "./judged-paths.ts";
import { joinPath } from "./path-names.ts";
import { type TouchedName, touchedTree } from "./touched-tree.ts";
import type { Looked, TreeReader } from "./tree-reader.ts";

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
  /** Layers tell of everything that is gone; otherwise a directory in them may hide what is in the project's. */
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
}

/** Every touched name; and of touched directories every name that is on one side only, with all that is below it. */
export function* findPairs(
  trees: Trees,
  { touched, tellsAll, isOverlay, isMounted, isMasked }: PairOptions,
): Pieces<Pair[]> {
  const root = touchedTree(touched);
  if (root.below.size === 0) return [];
  const pairs: Pair[] = [];
  const links = trees.after.stat("")?.nlink ?? 0;
  const levels: Level[] = [{ path: "", inBefore: true, inAfter: true, links, touched: root, calls: [] }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    yield;
    // What is mounted in the project is not in the view, and is not gone from it either.
    const isOnBoth = level.inBefore && level.inAfter;
    const isTold = isOnBoth && (tellsAll || isMounted(level.path) || (isOverlay && isUnited(level)));
    for (const name of isTold ? touchedIn(level) : namesToCompare(level, trees)) {
      const path = joinPath(level.path, name);
      const node = level.touched?.below.get(name);
      const { links, ...sides } = lookAt(path, level, trees, isMasked);
      const pair = { path, ...sides, calls: node?.calls ?? level.calls };
      if (pair.before === null && pair.after === null) continue;
      const inBefore = pair.before?.kind === "directory";
      const inAfter = pair.after?.kind === "directory";
      const isMount = inBefore && inAfter && isMounted(path);
      if (!isMount) pairs.push(pair);
      if (inBefore || inAfter)
        levels.push({ path, inBefore, inAfter, links, touched: node, calls: pair.calls });
    }
  }
  return pairs;
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
  return new Map(isThere ? tree.list(directory).map(({ name, kind }) => [name, kind]) : []);
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
  const look = (tree: TreeReader): Looked | null => {
    const found = tree.look(path);
    const isHidden = found && judgedPaths(path, found.side.kind === "directory").some(isMasked);
    return isHidden ? null : found;
  };
  const [old, now] = [inBefore ? look(before) : null, inAfter ? look(after) : null];
  return { before: old?.side ?? null, after: now?.side ?? null, links: now?.links ?? 0 };
}

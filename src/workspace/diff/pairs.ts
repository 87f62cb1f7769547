import type { FileKind } from "../workspace-fs.ts";
import type { Side, TouchedDirectory } from "./changes.ts";
import { judgedPaths } from "./judged-paths.ts";
import { joinPath, splitPath } from "./path-names.ts";
import { type TouchedName, touchedTree } from "./touched-tree.ts";
import type { TreeReader } from "./tree-reader.ts";

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
  /** Whether something else is mounted at a directory of the project, or above it: the view does not show that. */
  readonly isMounted: (directory: string) => boolean;
  readonly isMasked: (path: string) => boolean;
  readonly signal?: AbortSignal;
}

interface Presence {
  readonly inBefore: boolean;
  readonly inAfter: boolean;
}

/** A directory on at least one side; on the other may be nothing, or something else. */
interface Level extends Presence {
  readonly path: string;
  /** Undefined where no layer has it: it is gone, or came, with something above it. */
  readonly touched: TouchedName | undefined;
  readonly calls: readonly string[];
}

/** Every touched name; and of touched directories every name that is on one side only, with all that is below it. */
export function findPairs(
  trees: Trees,
  { touched, tellsAll, isMounted, isMasked, signal }: PairOptions,
): Pair[] {
  const root = touchedTree(touched);
  if (root.below.size === 0) return [];
  const pairs: Pair[] = [];
  const levels: Level[] = [{ path: "", inBefore: true, inAfter: true, touched: root, calls: [] }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    signal?.throwIfAborted();
    // What is mounted in the project is not in the view, and is not gone from it either.
    const isTold = level.inBefore && level.inAfter && (tellsAll || isMounted(level.path));
    for (const [path, presence] of pathsToCompare(level, isTold, trees, isMasked)) {
      const node = level.touched?.below.get(splitPath(path).name);
      const pair = { path, ...lookAt(path, presence, trees), calls: node?.calls ?? level.calls };
      if (pair.before === null && pair.after === null) continue;
      const inBefore = pair.before?.kind === "directory";
      const inAfter = pair.after?.kind === "directory";
      const isMount = inBefore && inAfter && isMounted(path);
      if (!isMount) pairs.push(pair);
      if (inBefore || inAfter) levels.push({ path, inBefore, inAfter, touched: node, calls: pair.calls });
    }
  }
  return pairs;
}

/** A name that is on both sides and that no layer has is the project's own; also one that is on one side only, where layers tell of all. */
function pathsToCompare(
  { path: directory, inBefore, inAfter, touched }: Level,
  isTold: boolean,
  { before, after }: Trees,
  isMasked: (path: string) => boolean,
): Map<string, Presence> {
  const old = kindsIn(before, directory, inBefore);
  const now = kindsIn(after, directory, inAfter);
  const paths = new Map<string, Presence>();
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const isTouched = touched?.below.has(name) === true;
    const isOnBoth = old.has(name) && now.has(name);
    // The view shows no whiteout, also none that is the project's own.
    const isWhiteout = inAfter && old.get(name) === "device" && !now.has(name);
    if (!isTouched && (isOnBoth || isTold || isWhiteout)) continue;
    const path = joinPath(directory, name);
    const isShown = (kind: FileKind | undefined): boolean =>
      kind !== undefined && !judgedPaths(path, kind === "directory").some(isMasked);
    paths.set(path, { inBefore: isShown(old.get(name)), inAfter: isShown(now.get(name)) });
  }
  return paths;
}

function kindsIn(tree: TreeReader, directory: string, isThere: boolean): Map<string, FileKind> {
  return new Map(isThere ? tree.list(directory).map(({ name, kind }) => [name, kind]) : []);
}

function lookAt(
  path: string,
  { inBefore, inAfter }: Presence,
  { before, after }: Trees,
): Pick<Pair, "before" | "after"> {
  return { before: inBefore ? before.look(path) : null, after: inAfter ? after.look(path) : null };
}

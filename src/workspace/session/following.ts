// What the session has put into the project and somebody has changed there since: it is the project's own again.
import { osErrorCode } from "../../core/errors.ts";
import { atExactly, isThere, parentOf, piecesInDirectory } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf, lookOf, stillIs } from "../commit/fingerprint.ts";
import { joinPath, splitPath } from "../diff/path-names.ts";
import { openTreeReader } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import { isBelowNothing, isVersion, type Known, kindsIn, readStack, type Trees } from "./bases.ts";
import { findCome, findStirred } from "./came-in.ts";
import { withLayer } from "./layers.ts";
import type { SessionRecord } from "./record.ts";
import { withProject, withProjectInPieces } from "./session-commit.ts";
import type { SessionView } from "./session-view.ts";
import { liveLayer } from "./stack.ts";

export interface Following {
  /** What the session has put into the project and not changed since, and what is something else there now. */
  readonly paths: readonly string[];
  /** What came into these directories, and is not seen. */
  readonly come: readonly string[];
}

export async function findFollowing(
  record: SessionRecord,
  stateDir: string,
  view: SessionView,
  signal?: AbortSignal,
): Promise<Following> {
  const known = readStack(record.stack, stateDir);
  const stirred = withProject(record, (project) => findStirred(known, record, project));
  if (stirred.length > 0) await view.refresh();
  const finding = withProjectInPieces(record, function* (project) {
    const trees = { project, view: view.root };
    const come = findCome(stirred, known, liveLayer(record), trees);
    return { paths: yield* findChanged(known, record, stateDir, trees), come };
  });
  return inPieces(finding, signal);
}

function* findChanged(
  { moved, bases }: Known,
  { stack }: SessionRecord,
  stateDir: string,
  { project, view }: Trees,
): Pieces<string[]> {
  const put = new Map<string, Fingerprint | null>();
  for (const at of moved) {
    const base = bases.get(at)?.base;
    if (base !== undefined && base !== "unknown" && base?.kind !== "directory") put.set(at, base);
  }
  const following = new Set<string>();
  for (const at of yield* changedFrom(put, project)) {
    // Where the directory is the session's own, or gone, the project's would not be seen.
    const isSeen = at.includes("/") ? lookOf(view, parentOf(at))?.kind === "directory" : true;
    if (!isSeen || isBelowNothing(at, (path) => bases.get(path)?.base)) continue;
    if (isVersion(yield* fingerprintOf(view, at), put.get(at)!)) following.add(at);
  }
  const hasInLayers = (at: string) => stack.some((layer) => withLayer(layer, stateDir, isIn(at)));
  for (const at of lostDirectories(bases, project)) {
    const names = namesShown(view, at)?.map((name) => joinPath(at, name));
    if (names?.every((below) => following.has(below) || !hasInLayers(below))) following.add(at);
  }
  return [...following];
}

const isIn =
  (at: string) =>
  (layer: Root): boolean =>
    atExactly(layer, at, (spot) => typeof spot !== "string" && isThere(spot));

/** Directories of the project, on the way to what the session changed, that are none there any more; those below first. */
function lostDirectories(bases: Known["bases"], project: Root): string[] {
  const isDirectory = (at: string) => {
    const { base = null } = bases.get(at) ?? {};
    return base !== "unknown" && base?.kind === "directory";
  };
  const isLost = (at: string) => {
    try {
      return lookOf(project, at)?.kind !== "directory";
    } catch (error) {
      passClosed(error);
      return false;
    }
  };
  return [...bases.keys()]
    .filter((at) => isDirectory(at) && isLost(at))
    .sort()
    .reverse();
}

/** What is in a directory that may not be entered counts as unchanged: nothing could be brought from there. */
function passClosed(error: unknown): void {
  if (osErrorCode(error) !== "EACCES") throw error;
}

/** Null where the view has no directory. */
function namesShown(view: Root, at: string): string[] | null {
  const tree = openTreeReader(view);
  try {
    const kinds = kindsIn(tree, at);
    return kinds && [...kinds.keys()];
  } finally {
    tree.close();
  }
}

/** Those of the paths where the project has something else than this; each directory is gone to once. */
function* changedFrom(bases: ReadonlyMap<string, Fingerprint | null>, project: Root): Pieces<string[]> {
  const isStill = function* (dir: number | null, at: string): Pieces<boolean> {
    const base = bases.get(at)!;
    if (dir === null) return base === null;
    const spot = { dir, name: splitPath(at).name };
    return base === null ? !isThere(spot) : yield* stillIs(spot, base);
  };
  const byDirectory = new Map<string, string[]>();
  for (const at of bases.keys()) {
    const paths = byDirectory.get(parentOf(at)) ?? [];
    byDirectory.set(parentOf(at), paths);
    paths.push(at);
  }
  const changed: string[] = [];
  for (const [directory, paths] of byDirectory) {
    try {
      yield* piecesInDirectory(project, directory, function* (dir) {
        for (const at of paths) if (!(yield* isStill(dir, at))) changed.push(at);
      });
    } catch (error) {
      passClosed(error);
    }
  }
  return changed;
}

// What the session has put into the project and somebody has changed there since: it is the project's own again.
import { osErrorCode } from "../../core/errors.ts";
import { atExactly, isThere, parentOf } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf, lookOf, stillIs } from "../commit/fingerprint.ts";
import { joinPath, splitPath } from "../diff/path-names.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import { isBelowNothing, isVersion, type Known, kindsIn, readStack } from "./bases.ts";
import { findCome, findStirred } from "./came-in.ts";
import { createNotesReader } from "./kept-notes.ts";
import { withLayer } from "./layers.ts";
import { isDirectory, lookAtDirectories, type ProjectDirectories, tryReach } from "./project-directories.ts";
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

/** Of one session, whose notes are kept in mind. */
export function createFollowing() {
  const reading = createNotesReader();
  return async (
    record: SessionRecord,
    stateDir: string,
    view: SessionView,
    signal?: AbortSignal,
  ): Promise<Following> => {
    if (!mayHaveCommitted(record)) return { paths: [], come: [] };
    const known = readStack(record.stack, stateDir, reading());
    const put = putIn(known);
    const { directories, changed } = await inPieces(lookAtProject(record, known, put), signal);
    const stirred = findStirred(known, record, directories);
    if (stirred.length > 0) await view.refresh();
    const { root } = view;
    const come = withProject(record, (project) =>
      findCome(stirred, known, liveLayer(record), { project, view: root }),
    );
    const seen = changed.filter((at) => isSeenIn(root, known, at));
    const following = new Set(await inPieces(stillShown(seen, put, root), signal));
    const hasInLayers = (at: string) => record.stack.some((layer) => withLayer(layer, stateDir, isIn(at)));
    for (const at of lostDirectories(known, directories)) {
      const names = namesShown(root, at)?.map((name) => joinPath(at, name));
      if (names?.every((below) => following.has(below) || !hasInLayers(below))) following.add(at);
    }
    return { paths: [...following], come };
  };
}

/** A fork does not know of its parent's commits. */
function mayHaveCommitted({ id, commits, stack }: SessionRecord): boolean {
  return commits > 0 || stack.some(({ session }) => session !== id);
}

interface ProjectLook {
  readonly directories: ProjectDirectories;
  /** What the session has put there, and what is something else now. */
  readonly changed: readonly string[];
}

function lookAtProject(record: SessionRecord, known: Known, put: Put): Pieces<ProjectLook> {
  return withProjectInPieces(record, function* (project) {
    const tree = openTreeReader(project);
    try {
      return { directories: lookAtDirectories(known, tree), changed: yield* changedFrom(put, tree) };
    } finally {
      tree.close();
    }
  });
}

type Put = ReadonlyMap<string, Fingerprint | null>;

function putIn({ moved, bases }: Known): Put {
  const put = new Map<string, Fingerprint | null>();
  for (const at of moved) {
    const base = bases.get(at)?.base;
    if (base !== undefined && base !== "unknown" && base?.kind !== "directory") put.set(at, base);
  }
  return put;
}

/** Where the directory is the session's own, or gone, the project's would not be seen. */
function isSeenIn(view: Root, { bases }: Known, at: string): boolean {
  const isSeen = at.includes("/") ? lookOf(view, parentOf(at))?.kind === "directory" : true;
  return isSeen && !isBelowNothing(at, (path) => bases.get(path)?.base);
}

function* stillShown(paths: readonly string[], put: Put, view: Root): Pieces<string[]> {
  const shown: string[] = [];
  for (const at of paths) if (isVersion(yield* fingerprintOf(view, at), put.get(at)!)) shown.push(at);
  return shown;
}

const isIn =
  (at: string) =>
  (layer: Root): boolean =>
    atExactly(layer, at, (spot) => typeof spot !== "string" && isThere(spot));

/** Directories of the project, on the way to what the session changed, that are none there any more; those below first. */
function lostDirectories({ bases }: Known, directories: ProjectDirectories): string[] {
  const lost = [...directories.keys()].filter((at) => directories.get(at) === null);
  return lost
    .filter((at) => isDirectory(bases.get(at)?.base))
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
function* changedFrom(put: Put, project: TreeReader): Pieces<string[]> {
  const isStill = function* (dir: number | null, at: string): Pieces<boolean> {
    const base = put.get(at)!;
    if (dir === null) return base === null;
    const spot = { dir, name: splitPath(at).name };
    return base === null ? !isThere(spot) : yield* stillIs(spot, base);
  };
  const byDirectory = new Map<string, string[]>();
  for (const at of [...put.keys()].sort()) {
    const paths = byDirectory.get(parentOf(at)) ?? [];
    byDirectory.set(parentOf(at), paths);
    paths.push(at);
  }
  const changed: string[] = [];
  for (const [directory, paths] of byDirectory) {
    const dir = tryReach(() => project.enter(directory));
    if (dir === undefined) continue;
    try {
      for (const at of paths) if (!(yield* isStill(dir, at))) changed.push(at);
    } catch (error) {
      passClosed(error);
    }
  }
  return changed;
}

// What the session has put into the project and somebody has changed there since: it is the project's own again.
import { osErrorCode } from "../../core/errors.ts";
import { isThere, parentOf } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf, lookOf, stillIs } from "../commit/fingerprint.ts";
import { splitPath } from "../diff/path-names.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import { isBelowNothing, isVersion, type Known, parentsUpwards, readStack } from "./bases.ts";
import { findCome, findStirred } from "./came-in.ts";
import { createNotesReader } from "./kept-notes.ts";
import type { Notes } from "./layer-notes.ts";
import { pathsIn } from "./layers.ts";
import {
  directoriesIn,
  isDirectory,
  lookAtDirectories,
  type ProjectDirectories,
  tryReach,
} from "./project-directories.ts";
import type { SessionRecord, Stack } from "./record.ts";
import { withProject, withProjectInPieces } from "./session-commit.ts";
import type { SessionView } from "./session-view.ts";
import { liveLayer } from "./stack.ts";

export interface Following {
  /** What the session has put into the project and not changed since, and what is something else there now. */
  readonly paths: readonly string[];
  /** What came into these directories, and is not seen. */
  readonly come: readonly string[];
}

export const NOTHING: Following = { paths: [], come: [] };

/** Of one session, whose notes are kept in mind. */
export function createFollowing() {
  const readKnown = createKnownReader();
  return async (
    record: SessionRecord,
    stateDir: string,
    view: SessionView,
    signal?: AbortSignal,
  ): Promise<Following> => {
    const { known, put, places } = readKnown(record.stack, stateDir);
    const { directories, changed } = await inPieces(lookAtProject(record, places, put), signal);
    const stirred = findStirred(known, record, directories);
    if (stirred.length > 0) await view.refresh();
    const { root } = view;
    const come = withProject(record, (project) =>
      findCome(stirred, known, liveLayer(record), { project, view: root }),
    );
    const seen = changed.filter((at) => isSeenIn(root, known, at, put));
    const following = new Set(await inPieces(stillShown(seen, put, root), signal));
    for (const at of leftDirectories(record, stateDir, root, { known, directories, following }))
      following.add(at);
    return { paths: [...following], come };
  };
}

/** For a call that reads. Where nothing was committed, a view that is mounted tells when something came or went where it is used. */
export function mayFollow({ id, commits, stack, strategy }: SessionRecord, view: SessionView): boolean {
  // A fork does not know of its parent's commits.
  const mayHaveCommitted = commits > 0 || stack.some(({ session }) => session !== id);
  return mayHaveCommitted || strategy === "clone" || view.isStale();
}

interface Read {
  readonly notes: readonly Notes[];
  readonly known: Known;
  readonly put: Put;
  /** Directories of the project. */
  readonly places: readonly string[];
}

/** Reads what the layers know; it is put together again only when some of their notes are others. */
function createKnownReader() {
  const reading = createNotesReader();
  let last: Read | null = null;
  return (stack: Stack, stateDir: string): Read => {
    const read = reading();
    const notes = stack.map((layer) => read(layer, stateDir));
    if (notes.length === last?.notes.length && notes.every((one, at) => one === last!.notes[at])) return last;
    const known = readStack(stack, stateDir, (layer) => notes[stack.indexOf(layer)]!);
    last = { notes, known, put: putIn(known), places: directoriesIn(known) };
    return last;
  };
}

/** With the mode that it had: the session has not changed the directory itself. */
function isShownAs(view: Root, at: string, { bases }: Known): boolean {
  const [shown, base] = [lookOf(view, at), bases.get(at)!.base];
  return shown?.kind === "directory" && isDirectory(base) && shown.mode === (base as Fingerprint).mode;
}

interface ProjectLook {
  readonly directories: ProjectDirectories;
  /** What the session has put there, and what is something else now. */
  readonly changed: readonly string[];
}

function lookAtProject(record: SessionRecord, places: readonly string[], put: Put): Pieces<ProjectLook> {
  return withProjectInPieces(record, function* (project) {
    const tree = openTreeReader(project);
    try {
      return { directories: lookAtDirectories(places, tree), changed: yield* changedFrom(put, tree) };
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

/** Where the directory is the session's own, or gone, the project's would not be seen; but not where the session has put something into a user's. */
function isSeenIn(view: Root, { bases }: Known, at: string, put: Put): boolean {
  const isSeen = at.includes("/") ? lookOf(view, parentOf(at))?.kind === "directory" : true;
  return isSeen && (put.get(at) !== null || !isBelowNothing(at, (path) => bases.get(path)?.base));
}

function* stillShown(paths: readonly string[], put: Put, view: Root): Pieces<string[]> {
  const shown: string[] = [];
  for (const at of paths) if (isVersion(yield* fingerprintOf(view, at), put.get(at)!)) shown.push(at);
  return shown;
}

interface Lost {
  readonly known: Known;
  readonly directories: ProjectDirectories;
  readonly following: ReadonlySet<string>;
}

/** Directories of the project, on the way to what the session changed, that are none there any more, and in which the session has nothing of its own: it has not even removed something there. */
function leftDirectories(
  { stack }: SessionRecord,
  stateDir: string,
  view: Root,
  { known, directories, following }: Lost,
): string[] {
  const lost = new Set([...directories.keys()].filter((at) => directories.get(at) === null));
  for (const at of lost) if (!isDirectory(known.bases.get(at)?.base)) lost.delete(at);
  const keepAbove = (at: string) => {
    for (const parent of parentsUpwards(at)) lost.delete(parent);
  };
  const keep = (at: string) => {
    lost.delete(at);
    keepAbove(at);
  };
  const keepOwn = (paths: Iterable<string>) => {
    for (const at of paths) if (lost.size > 0 && !following.has(at) && !lost.has(at)) keepAbove(at);
  };
  for (const at of known.hidden.keys()) keep(at);
  keepOwn(known.bases.keys());
  for (const at of [...lost].sort().reverse()) if (!isShownAs(view, at, known)) keep(at);
  // Of what has too long a path nothing is noted.
  if (lost.size > 0) keepOwn(pathsIn(stack, stateDir));
  return [...lost];
}

/** What is in a directory that may not be entered counts as unchanged: nothing could be brought from there. */
function passClosed(error: unknown): void {
  if (osErrorCode(error) !== "EACCES") throw error;
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

// The base of a path: the project's version when the session first changed the path. A commit that finds another
// version there would overwrite somebody's work.
import fs from "node:fs";
import { LIMITS } from "../../../core/limits.ts";
import { committedIn } from "../../commit/journal.ts";
import { readText } from "../../diff/read-text.ts";
import { bytesOf } from "../../diff/text.ts";
import type { FileKind } from "../../files/workspace-fs.ts";
import type { Pieces } from "../../fs/cooperative.ts";
import {
  expectedVersion,
  type FileIdentity,
  type Fingerprint,
  fingerprintOf,
  lookOf,
  sha256Of,
} from "../../fs/fingerprint.ts";
import { atExactly, onTheWay, pathTo } from "../../fs/no-follow.ts";
import { joinPath, parentOf } from "../../fs/path-text.ts";
import { childPath, type Root } from "../../fs/paths.ts";
import { openTreeReader } from "../../fs/tree-reader.ts";
import { readGone } from "../../layers/clone-layer.ts";
import { isGoneIn, layerDir, withLayer } from "../../layers/layer-dirs.ts";
import { type Base, keepText, readKeptText, readNotes, writeNotes } from "../../layers/layer-notes.ts";
import { type Layer, type SessionRecord, type Stack, sessionDir } from "../../layers/record.ts";
import { statPath } from "../../layers/stat-of.ts";
import { unsettledIn } from "../commits.ts";
import { kindsIn } from "./kinds-in.ts";
import type { LayerDirectory, LayerScanCache } from "./layer-scan-cache.ts";

/** Records the base of each path that the last layer is the first to change. */
export function* takeBases(
  record: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
  scanCache: LayerScanCache,
): Pieces<void> {
  const { changed, done } = scanCache.look(record.stack.at(-1)!, stateDir, trees.project);
  if (changed.length > 0) yield* noteChanged(changed, record, stateDir, trees);
  done();
}

export interface ProjectAndView {
  readonly project: Root;
  readonly view: Root;
}

/** Whether the project had an entry at a path before the layer's first change; null if unknown. */
export type Had = (path: string) => boolean | null;

interface ProjectHistory {
  readonly had?: Had | undefined;
}

function* noteChanged(
  changed: readonly LayerDirectory[],
  { stack, strategy }: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
): Pieces<void> {
  const live = stack.at(-1)!;
  const known = readStack(stack, stateDir);
  const notes = readNotes(live, stateDir);
  const before = notes.bases.size + notes.hidden.size;
  const noted = (path: string) =>
    notes.bases.has(path) ? notes.bases.get(path) : known.bases.get(path)?.base;
  const isVisible = (at: string) => [known.hidden, notes.hidden].every((hidden) => !hiddenAbove(at, hidden));
  const gone = readGone(layerDir(stateDir, live));
  const isMerged =
    strategy === "clone"
      ? (at: string) => !isGoneIn(stack.slice(0, -1), at, stateDir)
      : mergedIn(live, stateDir, trees);
  /** Whether the layer's entry hides an entry of the project. */
  const hides = (at: string, kind: FileKind, base: Base): boolean => {
    const wasDirectory = base !== "unknown" && base?.kind === "directory";
    // A recreated directory that only the session had would hide a directory that the user creates at the same path.
    const isRecreated = base === null && !notes.bases.has(at);
    if (kind === "directory") return (wasDirectory || isRecreated) && !isMerged(at);
    return wasDirectory || (base !== null && (kind === "device" || gone.has(at)));
  };
  for (const directory of changed) {
    const absent = absentFrom(directory, live.since, trees);
    /** If the user created the same directory, its project entries are visible in the session. */
    const mayBeUsers = (at: string) => directory.isInProject && isVisible(at) && statPath(trees.project, at);
    for (const { name, kind } of directory.names) {
      const at = joinPath(directory.directory, name);
      // Longer paths are never committed.
      if (at.length > LIMITS.maxPathBytes) continue;
      if (noted(at) === undefined) {
        const base = hasNoParentInBase(at, noted) && !mayBeUsers(at) ? null : absent(name);
        notes.bases.set(at, base === undefined ? yield* takeBase(at, known, live, stateDir, trees) : base);
      }
      if (isVisible(at) && hides(at, kind, noted(at)!)) notes.hidden.add(at);
    }
  }
  if (notes.bases.size + notes.hidden.size > before) writeNotes(live, stateDir, notes);
}

/** Tells whether a directory of the live layer is merged with lower directories. overlayfs reports a link count of 1 for a merged directory, and, if all layers are on one disk, the inode number of a lower directory. */
function mergedIn(live: Layer, stateDir: string, { project, view }: ProjectAndView): (at: string) => boolean {
  const { nlink, dev } = fs.statSync(layerDir(stateDir, live));
  if (nlink > 1) return (at) => (statPath(view, at)?.nlink ?? 1) === 1;
  // This file system does not count directory links.
  if (dev !== fs.fstatSync(project.fd).dev) return () => true;
  return (at) => statPath(view, at)?.ino !== withLayer(live, stateDir, (root) => statPath(root, at))?.ino;
}

/** From this many names on, the project's directory is listed once instead of looked up name by name. */
const MANY_NAMES = 32;

/** Gives the base of a name that the project's directory lacks; undefined if the project has the name, or the directory was not listed. */
function absentFrom(
  { directory, names, isInProject }: LayerDirectory,
  since: number,
  { project, had }: ProjectAndView & ProjectHistory,
): (name: string) => Base | undefined {
  if (!isInProject || names.length < MANY_NAMES) return () => undefined;
  const tree = openTreeReader(project);
  try {
    const changedMs = tree.stat(directory)?.ctimeMs ?? Number.POSITIVE_INFINITY;
    const there = kindsIn(tree, directory);
    const baseOf = (name: string) =>
      changedMs < since || had?.(joinPath(directory, name)) === false ? null : "unknown";
    return (name) => (there === null || there.has(name) ? undefined : baseOf(name));
  } finally {
    tree.close();
  }
}

/** Whether no directory existed that could have contained the path. */
export function hasNoParentInBase(at: string, baseOf: (path: string) => Base | undefined): boolean {
  for (const parent of parentsUpwards(at)) {
    const base = baseOf(parent);
    if (base !== undefined) return base !== "unknown" && base?.kind !== "directory";
  }
  return false;
}

/** Whether the project's entry is unchanged since the session hid it, or since `since` if the session did not hide it. */
export function isUnchanged(
  at: string,
  { hidden, bases }: Known,
  since: number,
  project: Root,
  mayBeMoved: MayBeMoved = mayBeMovedWithDirectory,
): boolean {
  const from = hiddenAbove(at, hidden);
  const time = from === undefined ? since : hidden.get(from)!;
  return changeTime(project, at) < time && !mayBeMoved(project, at, time, bases);
}

type MayBeMoved = (project: Root, at: string, since: number, bases: Known["bases"]) => boolean;

/** Remembers the answer for each directory, so that many paths of one directory need one walk. */
export function rememberDirectories(): MayBeMoved {
  const known = new Map<string, boolean>();
  return (project, at, since, bases) => {
    const key = `${since} ${parentOf(at)}`;
    const found = known.get(key) ?? mayBeMovedWithDirectory(project, at, since, bases);
    known.set(key, found);
    return found;
  };
}

/** Entries of a moved directory keep their times, but the move changes the ctime of the directory and of its new parent. */
function mayBeMovedWithDirectory(project: Root, at: string, since: number, bases: Known["bases"]): boolean {
  let mayBeMoved = false;
  let isAboveNew = false;
  onTheWay(project, at, (dir, directory) => {
    const stat = fs.fstatSync(dir);
    const isNew = stat.ctimeMs >= since;
    mayBeMoved ||= isAboveNew && isNew && !isSameDirectory(stat, bases.get(directory), since);
    isAboveNew = isNew;
  });
  return mayBeMoved;
}

/** A base recorded with a layer of another time does not count: the directory may have been moved away and back. */
function isSameDirectory({ ino, dev }: fs.Stats, known: KnownBase | undefined, since: number): boolean {
  if (known?.layer.since !== since) return false;
  const { base } = known;
  return base !== "unknown" && base?.ino === String(ino) && base.dev === String(dev);
}

/** Whether somebody created the path below an entry that the session had already hidden: the session never had it. */
export function isAddedSince(at: string, { hidden }: Known, project: Root): boolean {
  const from = hiddenAbove(at, hidden);
  return from !== undefined && from !== at && birthTime(project, at) >= hidden.get(from)!;
}

/** Whether the path existed when the session hid it; somebody may have changed it since. */
export function existedWhenHidden(
  at: string,
  { hidden, bases }: Known,
  project: Root,
  mayBeMoved: MayBeMoved,
): boolean {
  const from = hiddenAbove(at, hidden);
  if (from === undefined) return false;
  const time = hidden.get(from)!;
  return birthTime(project, at) < time && !mayBeMoved(project, at, time, bases);
}

/** Negative infinity if the path does not exist. */
function birthTime(project: Root, at: string): number {
  const born = atExactly(project, at, (spot) =>
    typeof spot === "string" ? undefined : fs.lstatSync(pathTo(spot), { throwIfNoEntry: false })?.birthtimeMs,
  );
  return born ?? Number.NEGATIVE_INFINITY;
}

/** The path itself or its nearest parent that the session hid. */
export function hiddenAbove(
  at: string,
  hidden: ReadonlyMap<string, number> | ReadonlySet<string>,
): string | undefined {
  if (hidden.size === 0) return undefined;
  return [at, ...parentsUpwards(at)].find((path) => hidden.has(path));
}

export interface BaseLookup {
  /** Undefined if unknown. */
  baseOf(at: string): Pieces<Fingerprint | null | undefined>;
  /** Null if the base was not text, or its text is not kept. */
  ancestorText(at: string): string | null;
}

export function openBases(record: SessionRecord, stateDir: string, project: Root): BaseLookup {
  const known = readKnown(record, stateDir);
  return {
    *baseOf(at) {
      const found = known.bases.get(at);
      if (found !== undefined) return found.base === "unknown" ? undefined : found.base;
      if (hasNoParentInBase(at, (path) => known.bases.get(path)?.base) || isAddedSince(at, known, project))
        return null;
      const isOld = isUnchanged(at, known, 0, project);
      return isOld ? yield* fingerprintOf(project, at) : undefined;
    },
    ancestorText: (at) => textOfBase(at, known, stateDir),
  };
}

/** Null if the base was not text, or its text is not kept. */
function textOfBase(at: string, { bases }: Known, stateDir: string): string | null {
  const { base = null, layer } = bases.get(at) ?? {};
  if (base === null || base === "unknown" || base.sha256 === null) return null;
  return readKeptText(layer!, stateDir, base.sha256);
}

function* parentsUpwards(at: string): Generator<string, void, void> {
  for (let end = at.lastIndexOf("/"); end > 0; end = at.lastIndexOf("/", end - 1)) yield at.slice(0, end);
}

/** The ctime of the entry at a path; if there is none, of its nearest existing parent. */
function changeTime(project: Root, at: string): number {
  const own = atExactly(project, at, (spot) =>
    typeof spot === "string"
      ? undefined
      : fs.lstatSync(childPath(spot.dir, spot.name), { throwIfNoEntry: false })?.ctimeMs,
  );
  if (own !== undefined) return own;
  let nearest = 0;
  onTheWay(project, at, (dir) => {
    nearest = fs.fstatSync(dir).ctimeMs;
  });
  return nearest;
}

function* takeBase(
  at: string,
  known: Known,
  live: Layer,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
): Pieces<Base> {
  const found = yield* fingerprintOf(trees.project, at);
  if (!isCertain(at, found, known, live.since, trees)) return "unknown";
  keepAncestor(at, found, live, stateDir, trees.project);
  // A directory that changed meanwhile may not be the one that the session saw.
  const mayBeAnother = found?.kind === "directory" && changeTime(trees.project, at) >= live.since;
  return mayBeAnother ? { ...found, ino: "", dev: "" } : found;
}

/** Whether `found` is what the project had before the layer's first change, and what the session saw. */
function isCertain(
  at: string,
  found: Fingerprint | null,
  known: Known,
  since: number,
  { project, view, had }: ProjectAndView & ProjectHistory,
): boolean {
  // At an absent path nothing can be overwritten, whatever the session hid before.
  if (found === null) return changeTime(project, at) < since || had?.(at) === false;
  // Each new entry changes a directory's ctime, so for a visible directory only the mode counts.
  if (found.kind === "directory" && hiddenAbove(at, known.hidden) === undefined)
    return changeTime(project, at) < since || !hasOtherMode(lookOf(view, at), found);
  return isUnchanged(at, known, since, project);
}

/** Either the session changed the mode, or somebody has changed it in the project since. */
function hasOtherMode(shown: FileIdentity | null, found: Fingerprint): boolean {
  return shown?.kind === "directory" && shown.mode !== found.mode;
}

/** Keeps the text of the project's version, for a three-way merge. */
export function keepAncestor(
  at: string,
  found: Fingerprint | null,
  layer: Layer,
  stateDir: string,
  project: Root,
): void {
  if (found?.kind !== "file" || found.sha256 === null || found.size > LIMITS.maxDiffFileBytes) return;
  const text = readText(project, at);
  if (text !== null && sha256Of(bytesOf(text)) === found.sha256)
    keepText(layer, stateDir, found.sha256, text);
}

interface KnownBase {
  readonly base: Base;
  readonly layer: Layer;
}

export interface Known {
  /** From the lowest layer that has a base for the path. */
  readonly bases: Map<string, KnownBase>;
  /** When the session first hid the path. */
  readonly hidden: Map<string, number>;
}

export function readStack(stack: Stack, stateDir: string): Known {
  const known: Known = { bases: new Map(), hidden: new Map() };
  for (const layer of stack) {
    const { bases, hidden } = readNotes(layer, stateDir);
    for (const [at, base] of bases) if (!known.bases.has(at)) known.bases.set(at, { base, layer });
    for (const at of hidden) if (!known.hidden.has(at)) known.hidden.set(at, layer.since);
  }
  return known;
}

/** Like `readStack`, with the bases of commits that have not left the layers yet because a background process uses them. */
export function readKnown(record: SessionRecord, stateDir: string): Known {
  const known = readStack(record.stack, stateDir);
  const layer = record.stack.at(-1)!;
  for (const txDir of unsettledIn(record, sessionDir(stateDir, record.id)))
    for (const [at, { put, step }] of committedIn(txDir).done)
      known.bases.set(at, {
        base: step.settles === "merged" ? "unknown" : put && expectedVersion(put),
        layer,
      });
  return known;
}

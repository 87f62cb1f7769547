// What the project had at a path when the session first changed it: a commit that finds something else there
// would overwrite somebody's work.
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

/** Notes what the project has where the last layer changed something first. */
export function* takeBases(
  record: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & Remembering,
  looked: LayerScanCache,
): Pieces<void> {
  const { changed, done } = looked.look(record.stack.at(-1)!, stateDir, trees.project);
  if (changed.length > 0) yield* noteChanged(changed, record, stateDir, trees);
  done();
}

export interface ProjectAndView {
  readonly project: Root;
  readonly view: Root;
}

/** Whether the project had something at a path before the layer's first change; null where that is not known. */
export type Had = (path: string) => boolean | null;

interface Remembering {
  readonly had?: Had | undefined;
}

function* noteChanged(
  changed: readonly LayerDirectory[],
  { stack, strategy }: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & Remembering,
): Pieces<void> {
  const live = stack.at(-1)!;
  const known = readStack(stack, stateDir);
  const notes = readNotes(live, stateDir);
  const before = notes.bases.size + notes.hidden.size;
  const noted = (path: string) =>
    notes.bases.has(path) ? notes.bases.get(path) : known.bases.get(path)?.base;
  const isInSight = (at: string) => [known.hidden, notes.hidden].every((hidden) => !hiddenAbove(at, hidden));
  const gone = readGone(layerDir(stateDir, live));
  const isMerged =
    strategy === "clone"
      ? (at: string) => !isGoneIn(stack.slice(0, -1), at, stateDir)
      : mergedIn(live, stateDir, trees);
  /** Whether something of the project's is not seen any more, because of what the layer has in its place. */
  const hides = (at: string, kind: FileKind, base: Base): boolean => {
    const wasDirectory = base !== "unknown" && base?.kind === "directory";
    // What only the session had is hidden from the user's, if he makes it too.
    const isMadeAgain = base === null && !notes.bases.has(at);
    if (kind === "directory") return (wasDirectory || isMadeAgain) && !isMerged(at);
    return wasDirectory || (base !== null && (kind === "device" || gone.has(at)));
  };
  for (const directory of changed) {
    const absent = absentFrom(directory, live.since, trees);
    /** Where a user has made the directory too, what he has put there is seen. */
    const mayBeUsers = (at: string) => directory.isInProject && isInSight(at) && statPath(trees.project, at);
    for (const { name, kind } of directory.names) {
      const at = joinPath(directory.directory, name);
      // What has a longer path is never committed.
      if (at.length > LIMITS.maxPathBytes) continue;
      if (noted(at) === undefined) {
        const base = isBelowNothing(at, noted) && !mayBeUsers(at) ? null : absent(name);
        notes.bases.set(at, base === undefined ? yield* takeBase(at, known, live, stateDir, trees) : base);
      }
      if (isInSight(at) && hides(at, kind, noted(at)!)) notes.hidden.add(at);
    }
  }
  if (notes.bases.size + notes.hidden.size > before) writeNotes(live, stateDir, notes);
}

/** Tells whether a directory of the live layer is one with what is below it. To such a one overlayfs gives a single link; and the number of one below, where all are on one disk. */
function mergedIn(live: Layer, stateDir: string, { project, view }: ProjectAndView): (at: string) => boolean {
  const { nlink, dev } = fs.statSync(layerDir(stateDir, live));
  if (nlink > 1) return (at) => (statPath(view, at)?.nlink ?? 1) === 1;
  // This file system counts no links.
  if (dev !== fs.fstatSync(project.fd).dev) return () => true;
  return (at) => statPath(view, at)?.ino !== withLayer(live, stateDir, (root) => statPath(root, at))?.ino;
}

/** As many new names as these are not asked for one by one. */
const MANY_NAMES = 32;

/** The base of a name that the project does not have there; undefined of one that it has. */
function absentFrom(
  { directory, names, isInProject }: LayerDirectory,
  since: number,
  { project, had }: ProjectAndView & Remembering,
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

/** Whether there was no directory that it could have been in. */
export function isBelowNothing(at: string, baseOf: (path: string) => Base | undefined): boolean {
  for (const parent of parentsUpwards(at)) {
    const base = baseOf(parent);
    if (base !== undefined) return base !== "unknown" && base?.kind !== "directory";
  }
  return false;
}

/** Whether what is there now is what was there when the session took it from sight, or else at that time. */
export function isUnchanged(
  at: string,
  { hidden, bases }: Known,
  since: number,
  project: Root,
  mayHaveCome: MayHaveCome = mayHaveComeWithDirectory,
): boolean {
  const from = hiddenAbove(at, hidden);
  const time = from === undefined ? since : hidden.get(from)!;
  return changeTime(project, at) < time && !mayHaveCome(project, at, time, bases);
}

type MayHaveCome = (project: Root, at: string, since: number, bases: Known["bases"]) => boolean;

/** For many paths of one directory: that is gone to once. */
export function rememberDirectories(): MayHaveCome {
  const known = new Map<string, boolean>();
  return (project, at, since, bases) => {
    const key = `${since} ${parentOf(at)}`;
    const found = known.get(key) ?? mayHaveComeWithDirectory(project, at, since, bases);
    known.set(key, found);
    return found;
  };
}

/** What is in a directory that was moved keeps its times: that one changed then, and the one that it came into. */
function mayHaveComeWithDirectory(project: Root, at: string, since: number, bases: Known["bases"]): boolean {
  let mayHaveCome = false;
  let isAboveNew = false;
  onTheWay(project, at, (dir, directory) => {
    const stat = fs.fstatSync(dir);
    const isNew = stat.ctimeMs >= since;
    mayHaveCome ||= isAboveNew && isNew && !isTheSame(stat, bases.get(directory), since);
    isAboveNew = isNew;
  });
  return mayHaveCome;
}

/** As at that time: one that was noted with a layer of another time may have been away, and have come back. */
function isTheSame({ ino, dev }: fs.Stats, known: KnownBase | undefined, since: number): boolean {
  if (known?.layer.since !== since) return false;
  const { base } = known;
  return base !== "unknown" && base?.ino === String(ino) && base.dev === String(dev);
}

/** Whether somebody has made it where the session had hidden something before: the session never had it. */
export function isAddedSince(at: string, { hidden }: Known, project: Root): boolean {
  const from = hiddenAbove(at, hidden);
  return from !== undefined && from !== at && birthTime(project, at) >= hidden.get(from)!;
}

/** Whether it was there when the session hid it, though somebody may have changed it since. */
export function wasThere(
  at: string,
  { hidden, bases }: Known,
  project: Root,
  mayHaveCome: MayHaveCome,
): boolean {
  const from = hiddenAbove(at, hidden);
  if (from === undefined) return false;
  const time = hidden.get(from)!;
  return birthTime(project, at) < time && !mayHaveCome(project, at, time, bases);
}

/** Of what is not there: never. */
function birthTime(project: Root, at: string): number {
  const born = atExactly(project, at, (spot) =>
    typeof spot === "string" ? undefined : fs.lstatSync(pathTo(spot), { throwIfNoEntry: false })?.birthtimeMs,
  );
  return born ?? Number.NEGATIVE_INFINITY;
}

/** What was taken from sight at a path, or above it. */
export function hiddenAbove(
  at: string,
  hidden: ReadonlyMap<string, number> | ReadonlySet<string>,
): string | undefined {
  if (hidden.size === 0) return undefined;
  return [at, ...parentsUpwards(at)].find((path) => hidden.has(path));
}

export interface BaseLookup {
  /** Undefined when it is not known. */
  baseOf(at: string): Pieces<Fingerprint | null | undefined>;
  /** Null when it was no text, or is not kept. */
  ancestorText(at: string): string | null;
}

export function openBases(record: SessionRecord, stateDir: string, project: Root): BaseLookup {
  const known = readKnown(record, stateDir);
  return {
    *baseOf(at) {
      const found = known.bases.get(at);
      if (found !== undefined) return found.base === "unknown" ? undefined : found.base;
      if (isBelowNothing(at, (path) => known.bases.get(path)?.base) || isAddedSince(at, known, project))
        return null;
      const isOld = isUnchanged(at, known, 0, project);
      return isOld ? yield* fingerprintOf(project, at) : undefined;
    },
    ancestorText: (at) => textOfBase(at, known, stateDir),
  };
}

/** Null when it was no text, or is not kept. */
function textOfBase(at: string, { bases }: Known, stateDir: string): string | null {
  const { base = null, layer } = bases.get(at) ?? {};
  if (base === null || base === "unknown" || base.sha256 === null) return null;
  return readKeptText(layer!, stateDir, base.sha256);
}

function* parentsUpwards(at: string): Generator<string, void, void> {
  for (let end = at.lastIndexOf("/"); end > 0; end = at.lastIndexOf("/", end - 1)) yield at.slice(0, end);
}

/** Of what is at a path; where nothing is, of the directory that has lost it or never had it. */
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
  trees: ProjectAndView & Remembering,
): Pieces<Base> {
  const found = yield* fingerprintOf(trees.project, at);
  if (!isCertain(at, found, known, live.since, trees)) return "unknown";
  keepAncestor(at, found, live, stateDir, trees.project);
  // A directory that changed meanwhile may be another than the one that was seen.
  const mayBeAnother = found?.kind === "directory" && changeTime(trees.project, at) >= live.since;
  return mayBeAnother ? { ...found, ino: "", dev: "" } : found;
}

/** Whether that is what was there before the layer's first change, and what the session saw. */
function isCertain(
  at: string,
  found: Fingerprint | null,
  known: Known,
  since: number,
  { project, view, had }: ProjectAndView & Remembering,
): boolean {
  // Where nothing is, nothing can be overwritten, whatever was taken from sight before.
  if (found === null) return changeTime(project, at) < since || had?.(at) === false;
  // A directory changes whenever something is put into it: of one that was in sight the mode is what counts.
  if (found.kind === "directory" && hiddenAbove(at, known.hidden) === undefined)
    return changeTime(project, at) < since || !hasOtherMode(lookOf(view, at), found);
  return isUnchanged(at, known, since, project);
}

/** Either the session has changed it, or since then somebody in the project. */
function hasOtherMode(shown: FileIdentity | null, found: Fingerprint): boolean {
  return shown?.kind === "directory" && shown.mode !== found.mode;
}

/** Keeps the text of a version that stands in the project, for a merge. */
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
  /** Of the lowest layer that has it. */
  readonly bases: Map<string, KnownBase>;
  /** When it was hidden first. */
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

/** The same with what was committed and has not left the layers yet, because a background process uses them. */
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

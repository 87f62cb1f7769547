// The base of a path: the project's version when the session first changed the path. A commit that finds another
// version there would overwrite somebody's work.
import fs from "node:fs";
import { LIMITS } from "../../../core/limits.ts";
import { readText } from "../../diff/read-text.ts";
import { bytesOf } from "../../diff/text.ts";
import type { FileKind } from "../../files/workspace-fs.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import {
  type Fingerprint,
  fingerprintOf,
  identityAtPath,
  sha256Of,
  type UnhashedFingerprint,
} from "../../fs/fingerprint.ts";
import { joinPath, parentOf } from "../../fs/path-text.ts";
import type { Root } from "../../fs/paths.ts";
import { openTreeReader } from "../../fs/tree-reader.ts";
import { isDeletedPath, readDeleted } from "../../layers/deleted-names.ts";
import { isDeletedIn, layerDir, withLayer } from "../../layers/layer-dirs.ts";
import { type Base, keepText, readNotes, writeNotes } from "../../layers/layer-notes.ts";
import type { Layer, SessionRecord } from "../../layers/record.ts";
import { statPath } from "../../layers/stat-of.ts";
import { kindsIn } from "./kinds-in.ts";
import {
  changeTime,
  createNearest,
  isNoDirectory,
  isUnchanged,
  type KnownStack,
  readStack,
} from "./known-bases.ts";
import type { LayerScanCache, ScannedDirectory } from "./layer-scan-cache.ts";

/** Records the base of each path that the last layer is the first to change. */
export function* takeBases(
  record: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
  scanCache: LayerScanCache,
): Cooperative<void> {
  const { changed, done } = yield* scanCache.scan(record.stack.at(-1)!, stateDir, trees.project);
  if (changed.length > 0) yield* noteChanged(changed, record, stateDir, trees);
  done();
}

export interface ProjectAndView {
  readonly project: Root;
  readonly view: Root;
}

/** Whether the project had an entry at a path before the layer's first change; null if unknown. */
export type HadEntry = (path: string) => boolean | null;

interface ProjectHistory {
  readonly had?: HadEntry | undefined;
}

function* noteChanged(
  changed: readonly ScannedDirectory[],
  { stack, strategy }: SessionRecord,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
): Cooperative<void> {
  const live = stack.at(-1)!;
  const known = readStack(stack, stateDir);
  const notes = readNotes(live, stateDir);
  const before = notes.bases.size + notes.hidden.size;
  const noted = (path: string) =>
    notes.bases.has(path) ? notes.bases.get(path) : known.bases.get(path)?.base;
  const hiddenAbove = createNearest((at) => known.hidden.has(at) || notes.hidden.has(at));
  const isVisible = (at: string) => hiddenAbove(at) === undefined;
  const baseAbove = createNearest((at) => noted(at) !== undefined);
  const isWithoutParent = (at: string) => {
    const nearest = baseAbove(parentOf(at));
    return nearest !== undefined && isNoDirectory(noted(nearest)!);
  };
  const deleted = readDeleted(layerDir(stateDir, live));
  const isMerged =
    strategy === "clone"
      ? (at: string) => !isDeletedIn(stack.slice(0, -1), at, stateDir)
      : mergedIn(live, stateDir, trees);
  /** Whether the layer's entry hides an entry of the project. */
  const hides = (at: string, kind: FileKind, base: Base): boolean => {
    const wasDirectory = base !== "unknown" && base?.kind === "directory";
    // A recreated directory that only the session had would hide a directory that the user creates at the same path.
    const isRecreated = base === null && !notes.bases.has(at);
    if (kind === "directory") return (wasDirectory || isRecreated) && !isMerged(at);
    return wasDirectory || (base !== null && (kind === "device" || isDeletedPath(deleted, at)));
  };
  for (const directory of changed) {
    const absent = absentFrom(directory, live.since, trees);
    /** If the user created the same directory, its project entries are visible in the session. */
    const mayBeUsers = (at: string) => directory.isInProject && isVisible(at) && statPath(trees.project, at);
    for (const { name, kind } of directory.names) {
      const at = joinPath(directory.directory, name);
      yield;
      if (noted(at) === undefined) {
        const base = isWithoutParent(at) && !mayBeUsers(at) ? null : absent(name);
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
  { directory, names, isInProject }: ScannedDirectory,
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

function* takeBase(
  at: string,
  known: KnownStack,
  live: Layer,
  stateDir: string,
  trees: ProjectAndView & ProjectHistory,
): Cooperative<Base> {
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
  known: KnownStack,
  since: number,
  { project, view, had }: ProjectAndView & ProjectHistory,
): boolean {
  // At an absent path nothing can be overwritten, whatever the session hid before.
  if (found === null) return changeTime(project, at) < since || had?.(at) === false;
  // Each new entry changes a directory's ctime, so for a visible directory only the mode counts.
  if (found.kind === "directory" && known.hiddenAbove(at) === undefined)
    return changeTime(project, at) < since || !hasOtherMode(identityAtPath(view, at), found);
  return isUnchanged(at, known, since, project);
}

/** Either the session changed the mode, or somebody has changed it in the project since. */
function hasOtherMode(shown: UnhashedFingerprint | null, found: Fingerprint): boolean {
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

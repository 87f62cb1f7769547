// What the project had at a path when the session first changed it: a commit that finds something else there
// would overwrite somebody's work.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { atExactly, onTheWay } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf } from "../commit/fingerprint.ts";
import { readText } from "../commit/reading.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import { childPath, type Root } from "../paths.ts";
import { keepText, readKeptText, readNotes, writeNotes } from "./layer-notes.ts";
import { pathsIn, touchedBy } from "./layers.ts";
import type { Layer, SessionRecord, Stack } from "./record.ts";

/** Notes what the project has where the last layer changed something first. */
export function takeBases({ stack }: SessionRecord, stateDir: string, project: Root, view: Root): void {
  const live = stack.at(-1)!;
  const known = readStack(stack, stateDir);
  const notes = readNotes(live, stateDir);
  const before = notes.bases.size + notes.hidden.size;
  for (const at of pathsIn([live], stateDir)) {
    if (known.bases.has(at)) continue;
    if (isBelowNothing(at, known)) notes.bases.set(at, null);
    else if (isUnchanged(at, known.hidden, live.since, project))
      notes.bases.set(at, takeBase(at, live, stateDir, project));
  }
  for (const at of hiddenBy(live, stateDir, project, view)) if (!known.hidden.has(at)) notes.hidden.add(at);
  if (notes.bases.size + notes.hidden.size > before) writeNotes(live, stateDir, notes);
}

/** Whether there was no directory that it could have been in. */
function isBelowNothing(at: string, { bases }: Known): boolean {
  for (const parent of parentsUpwards(at)) {
    const known = bases.get(parent);
    if (known !== undefined) return known.base?.kind !== "directory";
  }
  return false;
}

/** Whether what is there now is what was there when the session took it from sight, or else at that time. */
function isUnchanged(at: string, hidden: ReadonlyMap<string, number>, since: number, project: Root): boolean {
  const from = [at, ...parentsUpwards(at)].find((path) => hidden.has(path));
  return changeTime(project, at, from) < (from === undefined ? since : hidden.get(from)!);
}

/** Names of the project that are not in the view, in the directories that the layer has. */
function* hiddenBy(layer: Layer, stateDir: string, project: Root, view: Root): Generator<string, void, void> {
  const before = openTreeReader(project.fd);
  const after = openTreeReader(view.fd);
  try {
    for (const { directory } of touchedBy([layer], stateDir)) {
      const shown = namesIn(after, directory);
      if (shown === null) continue;
      for (const name of namesIn(before, directory) ?? [])
        if (!shown.has(name)) yield directory === "" ? name : `${directory}/${name}`;
    }
  } finally {
    before.close();
    after.close();
  }
}

/** Null where it is no directory, or may not be read. */
function namesIn(tree: TreeReader, directory: string): Set<string> | null {
  try {
    if (directory !== "" && tree.look(directory)?.kind !== "directory") return null;
    return new Set(tree.list(directory).map(({ name }) => name));
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

/** Notes that these paths of the project are what the session began with: it has put them there itself. */
export function moveBases(paths: readonly string[], live: Layer, stateDir: string, project: Root): void {
  const notes = readNotes(live, stateDir);
  for (const at of paths) {
    notes.bases.set(at, takeBase(at, live, stateDir, project));
    notes.moved.add(at);
  }
  forgetMoved(notes.hidden, notes.moved);
  writeNotes(live, stateDir, notes);
}

/** Gives a layer that replaces another what that one knows of these paths. */
export function copyBases(from: Layer, to: Layer, stateDir: string, isKept: (at: string) => boolean): void {
  const known = readNotes(from, stateDir);
  const bases = new Map([...known.bases].filter(([at]) => isKept(at)));
  const [hidden, moved] = [known.hidden, known.moved].map((paths) => new Set([...paths].filter(isKept)));
  writeNotes(to, stateDir, { bases, hidden: hidden!, moved: moved! });
  for (const base of bases.values()) {
    if (from.session === to.session || !base?.sha256) continue;
    const text = readKeptText(from, stateDir, base.sha256);
    if (text !== null) keepText(to, stateDir, base.sha256, text);
  }
}

export interface BaseLookup {
  /** Undefined when it is not known. */
  baseOf(at: string): Fingerprint | null | undefined;
  /** Null when it was no text, or is not kept. */
  ancestorText(at: string): string | null;
}

export function openBases({ stack }: SessionRecord, stateDir: string, project: Root): BaseLookup {
  const known = readStack(stack, stateDir);
  return {
    baseOf(at) {
      const found = known.bases.get(at);
      if (found !== undefined) return found.base;
      if (isBelowNothing(at, known)) return null;
      const isOld = isUnchanged(at, known.hidden, 0, project);
      return isOld ? fingerprintOf(project, at) : undefined;
    },
    ancestorText(at) {
      const found = known.bases.get(at);
      const sha256 = found?.base?.sha256;
      return found === undefined || !sha256 ? null : readKeptText(found.layer, stateDir, sha256);
    },
  };
}

function* parentsUpwards(at: string): Generator<string, void, void> {
  for (let end = at.lastIndexOf("/"); end > 0; end = at.lastIndexOf("/", end - 1)) yield at.slice(0, end);
}

/** Of what is at a path and on the way to it, from `from` on; where nothing is, of the directory that has lost it or never had it. */
function changeTime(project: Root, at: string, from = at): number {
  let latest = 0;
  let nearest = 0;
  onTheWay(project, at, (dir, directory) => {
    nearest = fs.fstatSync(dir).ctimeMs;
    if (directory.length >= from.length) latest = Math.max(latest, nearest);
  });
  const own = atExactly(project, at, (spot) =>
    typeof spot === "string"
      ? undefined
      : fs.lstatSync(childPath(spot.dir, spot.name), { throwIfNoEntry: false })?.ctimeMs,
  );
  return Math.max(latest, own ?? nearest);
}

function takeBase(at: string, layer: Layer, stateDir: string, project: Root): Fingerprint | null {
  const base = fingerprintOf(project, at);
  if (base?.kind !== "file" || base.sha256 === null || base.size > LIMITS.maxDiffFileBytes) return base;
  const text = readText(project, at);
  if (text !== null) keepText(layer, stateDir, base.sha256, text);
  return base;
}

interface Known {
  /** Of the lowest layer that knows it, unless a commit has moved it since. */
  readonly bases: Map<string, { readonly base: Fingerprint | null; readonly layer: Layer }>;
  /** When it was taken from sight first. */
  readonly hidden: Map<string, number>;
}

function readStack(stack: Stack, stateDir: string): Known {
  const known: Known = { bases: new Map(), hidden: new Map() };
  for (const layer of stack) {
    const { bases, hidden, moved } = readNotes(layer, stateDir);
    for (const [at, base] of bases) known.bases.set(at, { base, layer });
    forgetMoved(known.hidden, moved);
    for (const at of hidden) if (!known.hidden.has(at)) known.hidden.set(at, layer.since);
  }
  return known;
}

/** With all that is below them. */
function forgetMoved(hidden: Map<string, number> | Set<string>, moved: ReadonlySet<string>): void {
  if (moved.size === 0) return;
  const isMoved = (at: string) => [at, ...parentsUpwards(at)].some((path) => moved.has(path));
  for (const at of [...hidden.keys()].filter(isMoved)) hidden.delete(at);
}

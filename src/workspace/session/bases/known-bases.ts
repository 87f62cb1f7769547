// The bases that the layers of a session have recorded, and what change times tell about the project since.
import fs from "node:fs";
import { readCommitted } from "../../commit/journal.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { expectedVersion, type Fingerprint, fingerprintOf } from "../../fs/fingerprint.ts";
import { atExactPath, entryPath, visitParents } from "../../fs/no-follow.ts";
import { parentOf } from "../../fs/path-text.ts";
import type { Root } from "../../fs/paths.ts";
import { type Base, readKeptText, readNotes } from "../../layers/layer-notes.ts";
import { type Layer, type SessionRecord, type Stack, sessionDir } from "../../layers/record.ts";
import { unsettledIn } from "../commits.ts";

interface KnownBase {
  readonly base: Base;
  readonly layer: Layer;
}

export interface KnownStack {
  /** From the lowest layer that has a base for the path. */
  readonly bases: ReadonlyMap<string, KnownBase>;
  /** When the session first hid the path. */
  readonly hidden: ReadonlyMap<string, number>;
  /** The path itself or its nearest parent that the session hid. */
  hiddenAbove(at: string): string | undefined;
  /** Whether no directory existed that could have contained the path. */
  hasNoParent(at: string): boolean;
  /** Whether the entry may be part of a moved directory: the time of the entry itself would not show the move. */
  mayBeMoved(project: Root, at: string, since: number): boolean;
}

export function readStack(stack: Stack, stateDir: string): KnownStack {
  return knownFrom(...notesOf(stack, stateDir));
}

/** Like `readStack`, with the bases of commits that have not left the layers yet because a background process uses them. */
export function readKnown(record: SessionRecord, stateDir: string): KnownStack {
  const [bases, hidden] = notesOf(record.stack, stateDir);
  const layer = record.stack.at(-1)!;
  for (const txDir of unsettledIn(record, sessionDir(stateDir, record.id)))
    for (const [at, { put, step }] of readCommitted(txDir).done)
      bases.set(at, { base: step.settles === "merged" ? "unknown" : put && expectedVersion(put), layer });
  return knownFrom(bases, hidden);
}

function notesOf(stack: Stack, stateDir: string): [Map<string, KnownBase>, Map<string, number>] {
  const known = new Map<string, KnownBase>();
  const since = new Map<string, number>();
  for (const layer of stack) {
    const { bases, hidden } = readNotes(layer, stateDir);
    for (const [at, base] of bases) if (!known.has(at)) known.set(at, { base, layer });
    for (const at of hidden) if (!since.has(at)) since.set(at, layer.since);
  }
  return [known, since];
}

function knownFrom(bases: ReadonlyMap<string, KnownBase>, hidden: ReadonlyMap<string, number>): KnownStack {
  const nearestBase = createNearest((at) => bases.has(at));
  return {
    bases,
    hidden,
    hiddenAbove: createNearest((at) => hidden.has(at)),
    hasNoParent(at) {
      const nearest = nearestBase(parentOf(at));
      return nearest !== undefined && isNoDirectory(bases.get(nearest)!.base);
    },
    mayBeMoved: rememberMoves(bases),
  };
}

export const isNoDirectory = (base: Base): boolean => base !== "unknown" && base?.kind !== "directory";

/** Finds the path itself or its nearest parent that has something. It looks at each directory once: to climb from every path would take quadratic time in a deep tree. */
export function createNearest(has: (path: string) => boolean): (at: string) => string | undefined {
  const known = new Map<string, string | undefined>([["", undefined]]);
  const nearestTo = (directory: string): string | undefined => {
    const climbed: string[] = [];
    let at = directory;
    for (; !known.has(at); at = parentOf(at)) climbed.push(at);
    let nearest = known.get(at);
    for (const below of climbed.reverse()) {
      if (has(below)) nearest = below;
      known.set(below, nearest);
    }
    return nearest;
  };
  return (at) => (has(at) ? at : nearestTo(parentOf(at)));
}

/** Whether the project's entry is unchanged since the session hid it, or since `since` if the session did not hide it. */
export function isUnchanged(at: string, known: KnownStack, since: number, project: Root): boolean {
  const from = known.hiddenAbove(at);
  const time = from === undefined ? since : known.hidden.get(from)!;
  return changeTime(project, at) < time && !known.mayBeMoved(project, at, time);
}

/** Whether somebody created the path below an entry that the session had already hidden: the session never had it. */
function isAddedSince(at: string, { hidden, hiddenAbove }: KnownStack, project: Root): boolean {
  const from = hiddenAbove(at);
  return from !== undefined && from !== at && birthTime(project, at) >= hidden.get(from)!;
}

/** Whether the path existed when the session hid it; somebody may have changed it since. */
export function existedWhenHidden(at: string, known: KnownStack, project: Root): boolean {
  const from = known.hiddenAbove(at);
  if (from === undefined) return false;
  const time = known.hidden.get(from)!;
  return birthTime(project, at) < time && !known.mayBeMoved(project, at, time);
}

/** Negative infinity if the path does not exist. */
function birthTime(project: Root, at: string): number {
  return statExactPath(project, at)?.birthtimeMs ?? Number.NEGATIVE_INFINITY;
}

/** The ctime of the entry at a path; if there is none, of its nearest existing parent. */
export function changeTime(project: Root, at: string): number {
  const own = statExactPath(project, at)?.ctimeMs;
  if (own !== undefined) return own;
  let nearest = 0;
  visitParents(project, at, (dir) => {
    nearest = fs.fstatSync(dir).ctimeMs;
  });
  return nearest;
}

function statExactPath(project: Root, at: string): fs.Stats | undefined {
  return atExactPath(project, at, (ref) =>
    typeof ref === "string" ? undefined : fs.lstatSync(entryPath(ref), { throwIfNoEntry: false }),
  );
}

/** Remembers the answer for each directory, so that many paths of one directory need one walk. */
function rememberMoves(bases: KnownStack["bases"]): KnownStack["mayBeMoved"] {
  const known = new Map<string, boolean>();
  return (project, at, since) => {
    const key = `${since} ${parentOf(at)}`;
    const found = known.get(key) ?? isBelowMoved(project, at, since, bases);
    known.set(key, found);
    return found;
  };
}

/** Entries of a moved directory keep their times, but the move changes the ctime of the directory and of its new parent. */
function isBelowMoved(project: Root, at: string, since: number, bases: KnownStack["bases"]): boolean {
  let mayBeMoved = false;
  let isAboveNew = false;
  visitParents(project, at, (dir, directory) => {
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

export interface BaseLookup {
  /** Undefined if unknown. */
  baseOf(at: string): Cooperative<Fingerprint | null | undefined>;
  /** Null if the base was not text, or its text is not kept. */
  ancestorText(at: string): string | null;
}

export function openBases(record: SessionRecord, stateDir: string, project: Root): BaseLookup {
  const known = readKnown(record, stateDir);
  return {
    *baseOf(at) {
      const found = recordedBase(at, known, project);
      if (found !== undefined) return found === "unknown" ? undefined : found;
      return isUnchanged(at, known, 0, project) ? yield* fingerprintOf(project, at) : undefined;
    },
    ancestorText(at) {
      const { base = null, layer } = known.bases.get(at) ?? {};
      if (base === null || base === "unknown" || base.sha256 === null) return null;
      return readKeptText(layer!, stateDir, base.sha256);
    },
  };
}

/** Undefined if nothing is recorded. */
export function recordedBase(at: string, known: KnownStack, project: Root): Base | undefined {
  const base = known.bases.get(at)?.base;
  if (base !== undefined) return base;
  return known.hasNoParent(at) || isAddedSince(at, known, project) ? null : undefined;
}

// What the project had at a path when the session first changed it: a commit that finds something else there
// would overwrite somebody's work. Kept beside the layer that made the first change, so it comes and goes
// with that layer.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { atExactly, onTheWay } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf } from "../commit/fingerprint.ts";
import { readText } from "../commit/reading.ts";
import { bytesOf, textOf } from "../diff/text.ts";
import { childPath, type Root } from "../paths.ts";
import { layerDir, pathsIn } from "./layers.ts";
import { type Layer, type SessionRecord, type Stack, sessionDir } from "./record.ts";

/** Null: nothing was there. A path that is missing here was not known for certain. */
type Bases = Map<string, Fingerprint | null>;

/** Notes what the project has where the last layer changed something first. */
export function takeBases({ stack }: SessionRecord, stateDir: string, project: Root): void {
  const live = stack.at(-1)!;
  const known = knownBases(stack, stateDir);
  const taken: Bases = readBases(live, stateDir);
  const before = taken.size;
  for (const at of pathsIn([live], stateDir)) {
    if (!known.has(at) && changeTime(project, at) < live.since) {
      taken.set(at, takeBase(at, live, stateDir, project));
    }
  }
  if (taken.size > before) writeBases(live, stateDir, taken);
}

/** Notes that these paths of the project are what the session began with: it has put them there itself. */
export function moveBases(paths: readonly string[], live: Layer, stateDir: string, project: Root): void {
  const bases = readBases(live, stateDir);
  for (const at of paths) bases.set(at, takeBase(at, live, stateDir, project));
  writeBases(live, stateDir, bases);
}

/** Gives a layer that replaces another what that one knows of these paths. */
export function copyBases(from: Layer, to: Layer, stateDir: string, isKept: (at: string) => boolean): void {
  const bases: Bases = new Map([...readBases(from, stateDir)].filter(([at]) => isKept(at)));
  writeBases(to, stateDir, bases);
  for (const base of bases.values()) {
    if (from.session === to.session || !base?.sha256) continue;
    const text = readKept(keptText(from, stateDir, base.sha256));
    if (text !== null) keepText(keptText(to, stateDir, base.sha256), text);
  }
}

export interface BaseLookup {
  /** Undefined when it is not known. */
  baseOf(at: string): Fingerprint | null | undefined;
  /** Null when it was no text, or is not kept. */
  ancestorText(at: string): string | null;
}

export function openBases({ stack }: SessionRecord, stateDir: string, project: Root): BaseLookup {
  const known = knownBases(stack, stateDir);
  let touched: Map<string, number> | null = null;
  return {
    baseOf(at) {
      const found = known.get(at);
      if (found !== undefined) return found.base;
      // Below a directory that went as a whole nothing was noted: what was not touched since is what was there.
      touched ??= firstTouched(stack, stateDir);
      const since = [at, ...parentsUpwards(at)].find((path) => touched!.has(path));
      if (since === undefined) return undefined;
      const isOld = changeTime(project, at, since) < touched.get(since)!;
      return isOld ? fingerprintOf(project, at) : undefined;
    },
    ancestorText(at) {
      const found = known.get(at);
      const sha256 = found?.base?.sha256;
      return found === undefined || !sha256 ? null : readKept(keptText(found.layer, stateDir, sha256));
    },
  };
}

/** When each path was changed first. */
function firstTouched(stack: Stack, stateDir: string): Map<string, number> {
  const touched = new Map<string, number>();
  for (const layer of stack) {
    for (const at of pathsIn([layer], stateDir)) if (!touched.has(at)) touched.set(at, layer.since);
  }
  return touched;
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
  if (text !== null) keepText(keptText(layer, stateDir, base.sha256), text);
  return base;
}

/** Of the lowest layer that knows it, unless a commit has moved it since. */
function knownBases(stack: Stack, stateDir: string) {
  const known = new Map<string, { readonly base: Fingerprint | null; readonly layer: Layer }>();
  for (const layer of stack) {
    for (const [at, base] of readBases(layer, stateDir)) known.set(at, { base, layer });
  }
  return known;
}

const basesFile = (layer: Layer, stateDir: string): string => `${layerDir(stateDir, layer)}.base`;

function readBases(layer: Layer, stateDir: string): Bases {
  try {
    return new Map(JSON.parse(fs.readFileSync(basesFile(layer, stateDir), "utf8")));
  } catch (error) {
    // Cut short by a power failure, it is as if it had not been taken.
    if (osErrorCode(error) === "ENOENT" || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

function writeBases(layer: Layer, stateDir: string, bases: Bases): void {
  const file = basesFile(layer, stateDir);
  fs.writeFileSync(`${file}.new`, JSON.stringify([...bases]), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

/** By content: the same text is kept once. */
function keptText({ session }: Layer, stateDir: string, sha256: string): string {
  return path.join(sessionDir(stateDir, session), "base", sha256);
}

function keepText(file: string, text: string): void {
  if (fs.existsSync(file)) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(`${file}.new`, bytesOf(text), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

function readKept(file: string): string | null {
  try {
    return textOf(fs.readFileSync(file));
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

// Taking some paths out of a session. The layers that have them are replaced by layers that don't, which
// share all other files with them: afterwards it is as if the session had never touched these paths, and they
// follow the project again.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { atExactly, parentOf, type Spot } from "../commit/exactly.ts";
import { fileClock } from "../file-clock.ts";
import { showName } from "../names.ts";
import { makeAlike, unlock } from "../overlay/alike.ts";
import { putPlaceholder, readGone, writeGone } from "../overlay/clone-layer.ts";
import { removeSpot } from "../overlay/remove-spot.ts";
import { transplant } from "../overlay/transplant.ts";
import { openRoot, type Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import { copyBases } from "./bases.ts";
import { copyLayer } from "./copy-layer.ts";
import { readNotes } from "./layer-notes.ts";
import { isGoneIn, layerDir, pathsIn, withLayer } from "./layers.ts";
import { removeLayer } from "./make-session.ts";
import { type Layer, type SessionRecord, type Stack, sessionDir } from "./record.ts";
import { type DiffOptions, withSpan } from "./session-diff.ts";
import type { SessionView } from "./session-view.ts";
import { restacked } from "./stack.ts";

/** From the layer with the number `from` on. From the first on nothing is noted of them any more, either. */
export async function withoutPaths(
  record: SessionRecord,
  from: number,
  paths: readonly string[],
  stateDir: string,
  signal?: AbortSignal,
): Promise<SessionRecord> {
  const isHolding = record.stack.map((layer, index) => index >= from && hasSome(layer, paths, stateDir));
  if (!isHolding.includes(true)) throw notChanged(paths);
  const isNoting = (layer: Layer) => from === 0 && knowsOf(layer, paths, stateDir);
  const concerned = record.stack.map((layer, index) => isHolding[index] || isNoting(layer));
  const first = concerned.indexOf(true);
  let next = record.next;
  const stack = record.stack.map((layer, index) => {
    // What stands for several layers at once stands for the old ones.
    const { collapsed: _, ...alone } = layer;
    if (!concerned[index]) return index < first ? layer : alone;
    return { ...alone, session: record.id, name: String(next++) };
  });
  for (const [index, layer] of record.stack.entries()) {
    const leaving = { paths, below: stack.slice(0, index).reverse(), stateDir };
    if (concerned[index]) await copyWithout(layer, stack[index]!, leaving, signal);
  }
  return restacked({ ...record, next }, stack, fileClock(sessionDir(stateDir, record.id)));
}

/** Where a directory above was removed, taking out its paths does not bring them back: they are copied. */
export async function restoreRest(
  record: SessionRecord,
  from: number,
  paths: readonly string[],
  place: DiffOptions,
  view: SessionView,
): Promise<void> {
  const span = { below: from === 0 ? null : from, upTo: record.stack.length };
  // The layers do not tell of these paths any more: what is not seen has to be looked for.
  await withSpan(record, span, { ...place, tellsAll: false }, async ({ changes }, { before }) => {
    const isLeft = (path: string) =>
      changes.some(
        (change) => isAtOrBelow(change.path, path) || (change.from && isAtOrBelow(change.from, path)),
      );
    const isSecret = (path: string) => place.protectionOf(path)?.read === "refuse";
    const left = paths.filter(isLeft);
    const restore = function* (): Pieces<void> {
      for (const path of left) yield* transplant(before, view.root, path, isSecret);
    };
    if (left.length > 0) await view.fill(() => inPieces(restore(), place.signal));
  });
}

function isAtOrBelow(at: string, path: string): boolean {
  return at === path || at.startsWith(`${path}/`);
}

/** Also something above a path, which may be why it is as it is. */
function hasSome(layer: Layer, paths: readonly string[], stateDir: string): boolean {
  for (const at of pathsIn([layer], stateDir)) {
    if (paths.some((path) => isAtOrBelow(at, path) || isAtOrBelow(path, at))) return true;
  }
  return false;
}

function knowsOf(layer: Layer, paths: readonly string[], stateDir: string): boolean {
  const { bases, hidden, moved } = readNotes(layer, stateDir);
  const noted = [...bases.keys(), ...hidden, ...moved];
  return noted.some((at) => paths.some((path) => isAtOrBelow(at, path)));
}

interface Leaving {
  readonly paths: readonly string[];
  /** The layers below, topmost first. */
  readonly below: Stack;
  readonly stateDir: string;
}

async function copyWithout(
  layer: Layer,
  copy: Layer,
  leaving: Leaving,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { paths, stateDir } = leaving;
  const [from, to] = [layerDir(stateDir, layer), layerDir(stateDir, copy)];
  removeLayer(path.dirname(to), copy.name);
  await copyLayer(from, to, signal);
  const root = openRoot(to);
  try {
    for (const at of paths) inParent(root, at, removeSpot);
  } finally {
    fs.closeSync(root.fd);
  }
  const isKept = (at: string) => !paths.some((left) => isAtOrBelow(at, left));
  copyBases(layer, copy, stateDir, isKept);
  if (!fs.existsSync(`${from}.gone`)) return;
  const stillGone = hideAgain(copy, leaving);
  writeGone(to, new Set([...[...readGone(from)].filter(isKept), ...stillGone]));
}

/** In the clone strategy a directory that was made anew tells by name what it hides of the one before it. */
function hideAgain(copy: Layer, { paths, below, stateDir }: Leaving): string[] {
  const isAnew = (at: string) => parentOf(at) !== "" && isGoneIn(below, parentOf(at), stateDir);
  return withLayer(copy, stateDir, (root) =>
    paths.filter((at) => isAnew(at) && inParent(root, at, putPlaceholder)),
  );
}

/** Leaves the directory as it was but for the name; false when there is none. */
function inParent(root: Root, path: string, work: (spot: Spot) => void): boolean {
  return atExactly(root, path, (spot) => {
    if (typeof spot === "string") return false;
    const was = unlock(spot.dir);
    work(spot);
    makeAlike(spot.dir, was);
    return true;
  });
}

function notChanged(paths: readonly string[]): HotcellError {
  const shown = paths.map((path) => `"${showName(path)}"`).join(", ");
  return new HotcellError("NOT_FOUND", `The session has no change at ${shown}. See hotcell session diff.`);
}

// Taking some paths out of a session. The layers that have them are replaced by layers that don't, which
// share all other files with them: afterwards it is as if the session had never touched these paths, and they
// follow the project again.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { atExactly } from "../commit/exactly.ts";
import { fileClock } from "../file-clock.ts";
import { showName } from "../names.ts";
import { makeAlike, unlock } from "../overlay/alike.ts";
import { removeSpot } from "../overlay/remove-spot.ts";
import { transplant } from "../overlay/transplant.ts";
import { openRoot, type Root } from "../paths.ts";
import { inPieces } from "../pieces.ts";
import { copyBases } from "./bases.ts";
import { copyLayer } from "./copy-layer.ts";
import { layerDir, pathsIn } from "./layers.ts";
import { removeLayer } from "./make-session.ts";
import { type Layer, type SessionRecord, sessionDir } from "./record.ts";
import { type DiffOptions, withSpan } from "./session-diff.ts";
import { restacked } from "./stack.ts";

/** From the layer with the number `from` on. */
export async function withoutPaths(
  record: SessionRecord,
  from: number,
  paths: readonly string[],
  stateDir: string,
  signal?: AbortSignal,
): Promise<SessionRecord> {
  const concerned = record.stack.map((layer, index) => index >= from && hasSome(layer, paths, stateDir));
  const first = concerned.indexOf(true);
  if (first < 0) throw notChanged(paths);
  let next = record.next;
  const stack = record.stack.map((layer, index) => {
    // What stands for several layers at once stands for the old ones.
    const { collapsed: _, ...alone } = layer;
    if (!concerned[index]) return index < first ? layer : alone;
    return { ...alone, session: record.id, name: String(next++) };
  });
  for (const [index, layer] of record.stack.entries())
    if (concerned[index]) await copyWithout(layer, stack[index]!, paths, stateDir, signal);
  return restacked({ ...record, next }, stack, fileClock(sessionDir(stateDir, record.id)));
}

/** Where a directory above was removed, taking out its paths does not bring them back: they are copied. */
export async function restoreRest(
  record: SessionRecord,
  from: number,
  paths: readonly string[],
  place: DiffOptions,
  view: Root,
): Promise<void> {
  const span = { below: from === 0 ? null : from, upTo: record.stack.length };
  // The layers do not tell of these paths any more: what is not seen has to be looked for.
  await withSpan(record, span, { ...place, tellsAll: false }, async ({ changes }, { before }) => {
    const isLeft = (path: string) =>
      changes.some(
        (change) => isAtOrBelow(change.path, path) || (change.from && isAtOrBelow(change.from, path)),
      );
    const isSecret = (path: string) => place.protectionOf(path)?.read === "refuse";
    for (const path of paths.filter(isLeft))
      await inPieces(transplant(before, view, path, isSecret), place.signal);
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

async function copyWithout(
  layer: Layer,
  copy: Layer,
  paths: readonly string[],
  stateDir: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [from, to] = [layerDir(stateDir, layer), layerDir(stateDir, copy)];
  removeLayer(path.dirname(to), copy.name);
  await copyLayer(from, to, signal);
  const root = openRoot(to);
  try {
    for (const at of paths) removeAt(root, at);
  } finally {
    fs.closeSync(root.fd);
  }
  const isKept = (at: string) => !paths.some((left) => isAtOrBelow(at, left));
  copyBases(layer, copy, stateDir, isKept);
  copyGone(`${from}.gone`, `${to}.gone`, isKept);
}

/** The list of removed paths that a layer of the clone strategy has beside it. */
function copyGone(from: string, to: string, isKept: (at: string) => boolean): void {
  if (!fs.existsSync(from)) return;
  const gone = JSON.parse(fs.readFileSync(from, "utf8")) as string[];
  fs.writeFileSync(to, JSON.stringify(gone.filter(isKept)), { mode: 0o600 });
}

function removeAt(root: Root, path: string): void {
  atExactly(root, path, (spot) => {
    if (typeof spot === "string") return;
    const was = unlock(spot.dir);
    removeSpot(spot);
    makeAlike(spot.dir, was);
  });
}

function notChanged(paths: readonly string[]): HotcellError {
  const shown = paths.map((path) => `"${showName(path)}"`).join(", ");
  return new HotcellError("NOT_FOUND", `The session has no change at ${shown}. See hotcell session diff.`);
}

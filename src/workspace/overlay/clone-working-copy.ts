// The working copy of the clone strategy, and what is done with it. A change of it is marked before it begins
// and until all of it is noted: what finds the mark later makes the copy anew.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { createPace } from "../fs/cooperative.ts";
import { clearBelow } from "../fs/copy-entry.ts";
import { clockStep, fileClock } from "../fs/file-clock.ts";
import { allowOwner, takeOver } from "../fs/metadata.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import {
  type CloneTree,
  countEntries,
  differ,
  type MergedPath,
  NOTHING,
  viewOf,
} from "../layers/clone-tree.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import { readTree } from "../layers/layer-tree.ts";
import type { Stack } from "../layers/record.ts";
import { capture } from "./clone-capture.ts";
import { type LookOptions, look, type SeenEntry, seenDirectory } from "./clone-look.ts";
import { restore } from "./clone-restore.ts";
import { begin, end, isUnderWay, writeProjectTree, writeWorkingCopy } from "./clone-store.ts";
import { rightsToRead } from "./keep-readable.ts";
import type { SessionPlace } from "./session-view.ts";

export interface ClonePlace extends SessionPlace {
  /** The session's directory. */
  readonly dir: string;
  readonly project: Root;
  /** The working copy. */
  readonly merged: Root;
}

/** What the working copy shows, and what is in it unless somebody has changed it since. */
export interface Shown {
  readonly stack: Stack;
  /** Topmost first: the first one is live. */
  readonly layers: readonly CloneTree[];
  readonly project: SeenEntry;
  readonly copy: SeenEntry;
}

/** A directory that is moved while it is looked at makes the look worthless. */
const MOST_LOOKS = 5;

export async function buildCopy(place: ClonePlace, stack: Stack): Promise<Shown> {
  const { dir, project, merged, onProgress } = place;
  begin(dir, "showing");
  makeLive(place, stack);
  await clearBelow(merged.fd, createPace());
  takeOver(merged.fd, fs.fstatSync(project.fd));
  const seen = await lookAtProject(place, seenDirectory(0, new Map()));
  await clockStep(dir);
  const copy = seenDirectory(fs.fstatSync(merged.fd).mode, new Map());
  const shown = { stack, layers: await readCloneLayers(place, stack), project: seen, copy };
  const total = onProgress === undefined ? 0 : countEntries(viewOfShown(place, shown));
  let done = 0;
  return bring(place, NOTHING, shown, () => onProgress?.(++done, total));
}

export async function showStack(place: ClonePlace, shown: Shown, stack: Stack): Promise<Shown> {
  makeLive(place, stack);
  const layers = await readCloneLayers(place, stack, shown.layers);
  const next = { ...shown, stack, layers };
  const have = viewOfShown(place, shown);
  return differ(have, viewOfShown(place, next)) ? bring(place, have, next) : next;
}

/** Puts what was changed in the working copy into the live layer. */
export async function captureChanges(place: ClonePlace, shown: Shown): Promise<Shown> {
  const { dir, project, merged } = place;
  const wasInterrupted = isUnderWay(dir, "capturing");
  allowOwner(merged.fd, rightsToRead("directory"));
  const copy = await lookAgain(place, merged, shown.copy, { leavesOut: () => false, keepsReadable: true });
  if (copy === shown.copy && !wasInterrupted) return shown;
  await clockStep(dir);
  begin(dir, "capturing");
  const [{ at: layer }, ...below] = shown.layers as [CloneTree, ...CloneTree[]];
  const known = { at: fdPath(merged.fd), root: shown.copy };
  await capture({
    // What an interrupted capture has put into the layer may not be so any more.
    have: viewOf(wasInterrupted ? [await readTree(layer), known] : [known]),
    copy: { ...known, root: copy },
    below: viewOf([...below, { at: fdPath(project.fd), root: shown.project }]),
    project: viewOf([{ at: fdPath(project.fd), root: shown.project }]),
    layer,
  });
  const next = { ...shown, copy, layers: [await readTree(layer), ...below] };
  writeWorkingCopy(dir, { stack: next.stack, tree: copy });
  end(dir, "capturing");
  return next;
}

/** Takes in what changed in the project, where no layer has anything. */
export async function refreshCopy(place: ClonePlace, shown: Shown): Promise<Shown> {
  const project = await lookAtProject(place, shown.project);
  if (project === shown.project) return shown;
  await clockStep(place.dir);
  const captured = await captureChanges(place, shown);
  const next = { ...captured, project };
  const have = viewOfShown(place, captured);
  if (differ(have, viewOfShown(place, next))) return bring(place, have, next);
  writeProjectTree(place.dir, project);
  return next;
}

/** Brings the working copy to what is to be shown next. */
async function bring(place: ClonePlace, have: MergedPath, next: Shown, onStep?: () => void): Promise<Shown> {
  const { dir, merged } = place;
  begin(dir, "showing");
  const known = next.copy.below!;
  await restore(have, viewOfShown(place, next), { target: merged.fd, known, ...(onStep && { onStep }) });
  writeProjectTree(dir, next.project);
  writeWorkingCopy(dir, { stack: next.stack, tree: next.copy });
  end(dir, "showing");
  await clockStep(dir);
  return next;
}

function viewOfShown({ project }: ClonePlace, shown: Shown): MergedPath {
  return viewOf([...shown.layers, { at: fdPath(project.fd), root: shown.project }]);
}

/** Topmost first. Of those that are known only the live one ever changes, and it is kept up to date. */
export async function readCloneLayers(
  { stateDir }: ClonePlace,
  stack: Stack,
  known: readonly CloneTree[] = [],
): Promise<CloneTree[]> {
  const layers: CloneTree[] = [];
  for (const at of stack.map((layer) => layerDir(stateDir, layer)).reverse())
    layers.push(known.find((layer) => layer.at === at) ?? (await readTree(at)));
  return layers;
}

function makeLive({ stateDir }: ClonePlace, stack: Stack): void {
  fs.mkdirSync(layerDir(stateDir, stack.at(-1)!), { recursive: true, mode: 0o700 });
}

/** Secrets are not part of it. */
function lookAtProject(place: ClonePlace, known: SeenEntry): Promise<SeenEntry> {
  const leavesOut = (at: string) => place.protectionOf(at)?.read === "refuse";
  return lookAgain(place, place.project, known, { leavesOut });
}

async function lookAgain(
  { dir }: ClonePlace,
  { fd }: Root,
  known: SeenEntry,
  options: Omit<LookOptions, "clockMs">,
): Promise<SeenEntry> {
  for (let looks = 1; ; looks++) {
    try {
      return await look(fd, known, { clockMs: fileClock(dir), ...options });
    } catch (error) {
      const isMoved = error instanceof HotcellError && error.code === "EXECUTION_ERROR";
      if (looks === MOST_LOOKS || !isMoved) throw error;
    }
  }
}

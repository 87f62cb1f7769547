// The working copy of the clone strategy, and the operations on it. A mark file exists from before a change of the
// copy until the change is fully recorded. If hotcell finds the mark later, it recreates the copy.
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

/** The stack that the working copy shows, and its content when it was last recorded. */
export interface Shown {
  readonly stack: Stack;
  /** Topmost first; the first layer is live. */
  readonly layers: readonly CloneTree[];
  readonly project: SeenEntry;
  readonly copy: SeenEntry;
}

/** A directory that is moved during a scan makes the scan invalid. */
const MAX_SCANS = 5;

export async function buildCopy(place: ClonePlace, stack: Stack): Promise<Shown> {
  const { dir, project, merged, onProgress } = place;
  begin(dir, "showing");
  makeLiveDir(place, stack);
  await clearBelow(merged.fd, createPace());
  takeOver(merged.fd, fs.fstatSync(project.fd));
  const seen = await scanProject(place, seenDirectory(0, new Map()));
  await clockStep(dir);
  const copy = seenDirectory(fs.fstatSync(merged.fd).mode, new Map());
  const shown = { stack, layers: await readCloneLayers(place, stack), project: seen, copy };
  const total = onProgress === undefined ? 0 : countEntries(viewOfShown(place, shown));
  let done = 0;
  return updateCopy(place, NOTHING, shown, () => onProgress?.(++done, total));
}

export async function showStack(place: ClonePlace, shown: Shown, stack: Stack): Promise<Shown> {
  makeLiveDir(place, stack);
  const layers = await readCloneLayers(place, stack, shown.layers);
  const next = { ...shown, stack, layers };
  const have = viewOfShown(place, shown);
  return differ(have, viewOfShown(place, next)) ? updateCopy(place, have, next) : next;
}

/** Writes the changes of the working copy into the live layer. */
export async function captureChanges(place: ClonePlace, shown: Shown): Promise<Shown> {
  const { dir, project, merged } = place;
  const wasInterrupted = isUnderWay(dir, "capturing");
  allowOwner(merged.fd, rightsToRead("directory"));
  const copy = await scanWithRetry(place, merged, shown.copy, {
    leavesOut: () => false,
    keepsReadable: true,
  });
  if (copy === shown.copy && !wasInterrupted) return shown;
  await clockStep(dir);
  begin(dir, "capturing");
  const [{ at: layer }, ...below] = shown.layers as [CloneTree, ...CloneTree[]];
  const known = { at: fdPath(merged.fd), root: shown.copy };
  await capture({
    // Entries that an interrupted capture put into the layer may be outdated.
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

/** Applies changes of the project to the working copy, at paths that no layer has. */
export async function refreshCopy(place: ClonePlace, shown: Shown): Promise<Shown> {
  const project = await scanProject(place, shown.project);
  if (project === shown.project) return shown;
  await clockStep(place.dir);
  const captured = await captureChanges(place, shown);
  const next = { ...captured, project };
  const have = viewOfShown(place, captured);
  if (differ(have, viewOfShown(place, next))) return updateCopy(place, have, next);
  writeProjectTree(place.dir, project);
  return next;
}

/** Updates the working copy from `have` to the state in `next`. */
async function updateCopy(
  place: ClonePlace,
  have: MergedPath,
  next: Shown,
  onStep?: () => void,
): Promise<Shown> {
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

/** Topmost first. Among known layers only the live one changes, and captures keep its tree up to date. */
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

function makeLiveDir({ stateDir }: ClonePlace, stack: Stack): void {
  fs.mkdirSync(layerDir(stateDir, stack.at(-1)!), { recursive: true, mode: 0o700 });
}

/** The scan omits secrets. */
function scanProject(place: ClonePlace, known: SeenEntry): Promise<SeenEntry> {
  const leavesOut = (at: string) => place.protectionOf(at)?.read === "refuse";
  return scanWithRetry(place, place.project, known, { leavesOut });
}

async function scanWithRetry(
  { dir }: ClonePlace,
  { fd }: Root,
  known: SeenEntry,
  options: Omit<LookOptions, "clockMs">,
): Promise<SeenEntry> {
  for (let scans = 1; ; scans++) {
    try {
      return await look(fd, known, { clockMs: fileClock(dir), ...options });
    } catch (error) {
      const isMoved = error instanceof HotcellError && error.code === "EXECUTION_ERROR";
      if (scans === MAX_SCANS || !isMoved) throw error;
    }
  }
}

// The working copy of the clone strategy, and the operations on it. A mark file exists from before a change of the
// copy until the change is fully recorded. If hotcell finds the mark later, it recreates the copy.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { createPace } from "../fs/cooperative.ts";
import { clearBelow } from "../fs/copy-entry.ts";
import { clockStep, fileClock } from "../fs/file-clock.ts";
import { allowOwner, copyMetadata } from "../fs/metadata.ts";
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
import { restore } from "./clone-restore.ts";
import { createScannedDirectory, type ScannedEntry, type ScanTreeOptions, scanTree } from "./clone-scan.ts";
import { isInProgress, markEnded, markStarted, writeProjectTree, writeWorkingCopy } from "./clone-store.ts";
import type { Disclosures } from "./disclosures.ts";
import { rightsToRead } from "./keep-readable.ts";
import type { SessionStore } from "./session-view.ts";

export interface CloneDirs extends SessionStore {
  /** The session's directory. */
  readonly dir: string;
  readonly project: Root;
  /** The working copy. */
  readonly merged: Root;
  readonly disclosures: Disclosures;
}

/** The stack that the working copy shows, and its content when it was last recorded. */
export interface ShownStack {
  readonly stack: Stack;
  /** Topmost first; the first layer is live. */
  readonly layers: readonly CloneTree[];
  /** Below the project's tree: files with a secret's name that commands may see. */
  readonly disclosed: CloneTree;
  /** Without secrets. */
  readonly project: ScannedEntry;
  readonly copy: ScannedEntry;
}

/** A directory that is moved during a scan makes the scan invalid. */
const MAX_SCANS = 5;

export async function buildCopy(dirs: CloneDirs, stack: Stack): Promise<ShownStack> {
  const { dir, project, merged, onProgress } = dirs;
  markStarted(dir, "showing");
  makeLiveDir(dirs, stack);
  await clearBelow(merged.fd, createPace());
  copyMetadata(merged.fd, fs.fstatSync(project.fd));
  const seen = await scanProject(dirs, createScannedDirectory(0, new Map()));
  await dirs.disclosures.find();
  const disclosed = await dirs.disclosures.write();
  await clockStep(dir);
  const copy = createScannedDirectory(fs.fstatSync(merged.fd).mode, new Map());
  const shown = { stack, layers: await readCloneLayers(dirs, stack), disclosed, project: seen, copy };
  const total = onProgress === undefined ? 0 : countEntries(viewOfShown(dirs, shown));
  let done = 0;
  return updateCopy(dirs, NOTHING, shown, () => onProgress?.(++done, total));
}

export async function showStack(dirs: CloneDirs, shown: ShownStack, stack: Stack): Promise<ShownStack> {
  makeLiveDir(dirs, stack);
  const layers = await readCloneLayers(dirs, stack, shown.layers);
  const next = { ...shown, stack, layers };
  const have = viewOfShown(dirs, shown);
  return differ(have, viewOfShown(dirs, next)) ? updateCopy(dirs, have, next) : next;
}

/** Writes the changes of the working copy into the live layer. */
export async function captureChanges(dirs: CloneDirs, shown: ShownStack): Promise<ShownStack> {
  const { dir, project, merged } = dirs;
  const wasInterrupted = isInProgress(dir, "capturing");
  allowOwner(merged.fd, rightsToRead("directory"));
  const copy = await scanWithRetry(dirs, merged, shown.copy, {
    excludes: () => false,
    keepsReadable: true,
  });
  if (copy === shown.copy && !wasInterrupted) return shown;
  await clockStep(dir);
  markStarted(dir, "capturing");
  const [{ at: layer }, ...below] = shown.layers as [CloneTree, ...CloneTree[]];
  const known = { at: fdPath(merged.fd), root: shown.copy };
  await capture({
    // Entries that an interrupted capture put into the layer may be outdated.
    have: viewOf(wasInterrupted ? [await readTree(layer), known] : [known]),
    copy: { ...known, root: copy },
    below: viewOf([...below, ...visibleProject(project, shown)]),
    project: viewOf(visibleProject(project, shown)),
    layer,
  });
  const next = { ...shown, copy, layers: [await readTree(layer), ...below] };
  writeWorkingCopy(dir, { stack: next.stack, tree: copy });
  markEnded(dir, "capturing");
  return next;
}

/** Applies changes of the project to the working copy, at paths that no layer has. */
export async function refreshCopy(dirs: CloneDirs, shown: ShownStack): Promise<ShownStack> {
  const project = await scanProject(dirs, shown.project);
  const isDisclosedAnew = await dirs.disclosures.find();
  if (project === shown.project && !isDisclosedAnew) return shown;
  await clockStep(dirs.dir);
  const captured = await captureChanges(dirs, shown);
  if (isDisclosedAnew) markStarted(dirs.dir, "showing");
  const disclosed = isDisclosedAnew ? await dirs.disclosures.write() : shown.disclosed;
  const next = { ...captured, disclosed, project };
  const have = viewOfShown(dirs, captured);
  if (isDisclosedAnew || differ(have, viewOfShown(dirs, next))) return updateCopy(dirs, have, next);
  writeProjectTree(dirs.dir, project);
  return next;
}

/** Updates the working copy from `have` to the state in `next`. */
async function updateCopy(
  dirs: CloneDirs,
  have: MergedPath,
  next: ShownStack,
  onStep?: () => void,
): Promise<ShownStack> {
  const { dir, merged } = dirs;
  markStarted(dir, "showing");
  const known = next.copy.below!;
  await restore(have, viewOfShown(dirs, next), { target: merged.fd, known, ...(onStep && { onStep }) });
  writeProjectTree(dir, next.project);
  writeWorkingCopy(dir, { stack: next.stack, tree: next.copy });
  markEnded(dir, "showing");
  await clockStep(dir);
  return next;
}

function viewOfShown({ project }: CloneDirs, shown: ShownStack): MergedPath {
  return viewOf([...shown.layers, ...visibleProject(project, shown)]);
}

/** Topmost first. */
function visibleProject({ fd }: Root, { disclosed, project }: ShownStack): CloneTree[] {
  return [{ at: fdPath(fd), root: project }, disclosed];
}

/** Topmost first. Among known layers only the live one changes, and captures keep its tree up to date. */
export async function readCloneLayers(
  { stateDir }: CloneDirs,
  stack: Stack,
  known: readonly CloneTree[] = [],
): Promise<CloneTree[]> {
  const layers: CloneTree[] = [];
  for (const at of stack.map((layer) => layerDir(stateDir, layer)).reverse())
    layers.push(known.find((layer) => layer.at === at) ?? (await readTree(at)));
  return layers;
}

function makeLiveDir({ stateDir }: CloneDirs, stack: Stack): void {
  fs.mkdirSync(layerDir(stateDir, stack.at(-1)!), { recursive: true, mode: 0o700 });
}

/** The scan omits secrets. */
function scanProject(dirs: CloneDirs, known: ScannedEntry): Promise<ScannedEntry> {
  const excludes = (at: string) => dirs.protectionOf(at)?.read === "refuse";
  return scanWithRetry(dirs, dirs.project, known, { excludes });
}

async function scanWithRetry(
  { dir }: CloneDirs,
  { fd }: Root,
  known: ScannedEntry,
  options: Omit<ScanTreeOptions, "clockMs">,
): Promise<ScannedEntry> {
  for (let scans = 1; ; scans++) {
    try {
      return await scanTree(fd, known, { clockMs: fileClock(dir), ...options });
    } catch (error) {
      const isMoved = error instanceof HotcellError && error.code === "EXECUTION_ERROR";
      if (scans === MAX_SCANS || !isMoved) throw error;
    }
  }
}

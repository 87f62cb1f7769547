// Removes paths from layers. A layer that has some of them is replaced by a copy without them, which shares all other
// files; a layer that has nothing else is dropped. Afterwards these paths show the lower layers or the project.
import path from "node:path";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import { isTooDeep, joinPath, parentOf, splitPath } from "../fs/path-text.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";
import { layerDir, withLayer } from "../layers/layer-dirs.ts";
import { type Base, copyKeptText, type Notes, readNotes, writeNotes } from "../layers/layer-notes.ts";
import {
  directoryEntry,
  type LayerEntry,
  readLayers,
  whiteoutEntry,
  writeLayer,
} from "../layers/layer-tree.ts";
import {
  type Layer,
  type SessionRecord,
  type Stack,
  sessionDir,
  withoutCompacted,
} from "../layers/record.ts";
import { removeLayer } from "../layers/session-dirs.ts";
import { statPath } from "../layers/stat-of.ts";
import { createWhiteouts } from "../layers/whiteout.ts";
import { kindsIn } from "./bases/kinds-in.ts";
import {
  createNearest,
  existedWhenHidden,
  isUnchanged,
  type KnownStack,
  readStack,
} from "./bases/known-bases.ts";
import { insertEntry } from "./insert-entry.ts";

/** How a path is dropped. */
export interface Drop {
  /** Everything below the path is dropped too. */
  readonly isWhole: boolean;
  /** The entry below the layers must become visible: no directory above may hide it. */
  readonly isShown: boolean;
  /** The session has changed or removed the path since: only the layers below that change lose the path. If the project did not have the path before, no layer may have a whiteout for the removal: then it gets one. */
  readonly stays?: "changed" | "removed";
}

export interface DropOptions {
  readonly stateDir: string;
  readonly project: Root;
  /** Index of the first layer that loses the paths; default: the lowest. */
  readonly from?: number;
  /** Index of the last one; default: the top one. */
  readonly upTo?: number;
  /** Bases of paths that stay in some layer: the lowest layer that has or hides the path gets the base. */
  readonly bases?: ReadonlyMap<string, Base>;
  readonly signal?: AbortSignal | undefined;
}

export interface DroppedStack {
  /** The replacement of each layer; null if nothing else was in it. */
  readonly replaced: ReadonlyMap<Layer, Layer | null>;
  /** The number of the next new layer. */
  readonly next: number;
}

export async function dropPaths(
  record: SessionRecord,
  drops: ReadonlyMap<string, Drop>,
  options: DropOptions,
): Promise<DroppedStack> {
  const { id, stack, strategy } = record;
  const { stateDir, project, from = 0, upTo = stack.length - 1, signal } = options;
  const dirs = stack.map((layer) => layerDir(stateDir, layer));
  const trees = await readLayers(dirs, strategy);
  const known = readStack(stack, stateDir);
  const { holders, made } = keepChanged(drops, trees, project);
  const madeBases = [...made].filter(([at]) => !known.bases.has(at));
  const shown = [...drops].filter(([, { isShown }]) => isShown).map(([at]) => at);
  const context: DropContext = {
    stack,
    trees,
    from,
    losesPaths: (index) => index >= from && index <= upTo,
    dropIn: (at, index) => {
      const drop = index < from || index > upTo ? undefined : drops.get(at);
      return index >= (holders.get(at) ?? Number.POSITIVE_INFINITY) ? undefined : drop;
    },
    shown: new Set(shown),
    aboveShown: directoriesAbove(shown),
    known,
    carried: new Map([...madeBases, ...(options.bases ?? [])]),
    stateDir,
    project,
  };
  const replaced = new Map<Layer, Layer | null>();
  const makeWhiteout = createWhiteouts(sessionDir(stateDir, id));
  let next = record.next;
  for (const [index, layer] of stack.entries()) {
    const notes = await runCooperatively(editLayer(index, context), signal);
    if (notes === null) continue;
    const isEmpty = trees[index]!.below!.size === 0;
    const copy: Layer = { ...withoutCompacted(layer), session: id, name: String(next) };
    replaced.set(layer, isEmpty ? null : copy);
    if (isEmpty) continue;
    next++;
    const to = layerDir(stateDir, copy);
    await runCooperatively(removeLayer(path.dirname(to), copy.name));
    await writeLayer(to, trees[index]!, strategy, makeWhiteout);
    for (const base of notes.bases.values()) copyKeptText(layer, copy, stateDir, base);
    writeNotes(copy, stateDir, notes);
  }
  return { replaced, next };
}

interface Kept {
  /** For each path that stays: the index of the topmost layer that has or hides it. */
  readonly holders: ReadonlyMap<string, number>;
  /** Directories that the top layer has now because of whiteouts, with their bases. */
  readonly made: ReadonlyMap<string, Base>;
}

/** Finds the layers whose changes stay. A removal that no layer has gets a whiteout in the top one. */
function keepChanged(drops: ReadonlyMap<string, Drop>, trees: readonly LayerEntry[], project: Root): Kept {
  const top = trees.at(-1)!;
  const holders = new Map<string, number>();
  const made = new Map<string, Base>();
  for (const [at, { stays }] of drops) {
    if (stays === undefined) continue;
    if (stays === "removed" && findEntry(top, at) === undefined)
      for (const [above, base] of insertEntry(top, at, whiteoutEntry(top.from as string), project))
        made.set(above, base);
    const holder = trees.findLastIndex((tree) => hasOrHides(tree, at));
    holders.set(at, holder);
  }
  return { holders, made };
}

/** Replaces layers of a stack. Collapsed layers that include a replaced one are stale and no longer used. */
export function replaceLayers(stack: Stack, replaced: DroppedStack["replaced"]): Stack {
  const first = stack.findIndex((layer) => replaced.has(layer));
  if (first < 0) return stack;
  return stack.flatMap((layer, index) => {
    const other = replaced.get(layer);
    if (other === null) return [];
    return [other ?? (index < first ? layer : withoutCompacted(layer))];
  });
}

interface DropContext {
  readonly stack: Stack;
  /** Edited up to the current layer. */
  readonly trees: readonly LayerEntry[];
  /** Index of the first layer that loses paths. */
  readonly from: number;
  /** Whether the layer with this index loses paths. */
  readonly losesPaths: (index: number) => boolean;
  /** How the layer with this index drops exactly this path; undefined if the path stays, or goes with a directory above it. */
  readonly dropIn: (at: string, index: number) => Drop | undefined;
  readonly shown: ReadonlySet<string>;
  /** Parents first. */
  readonly aboveShown: readonly string[];
  readonly known: KnownStack;
  /** Given bases, and bases whose layer lost the path: the next layer that has or hides the path gets them. */
  readonly carried: Map<string, Base>;
  readonly stateDir: string;
  readonly project: Root;
}

/** Edits the layer's tree and returns its new notes; null if the layer is unchanged. */
function* editLayer(index: number, context: DropContext): Cooperative<Notes | null> {
  const { stack, trees, dropIn, carried, stateDir } = context;
  const tree = trees[index]!;
  const { bases, hidden } = readNotes(stack[index]!, stateDir);
  let isChanged = false;
  for (const { at, parent, name, entry } of entriesIn(tree)) {
    yield;
    const drop = dropIn(at, index);
    if (drop === undefined) continue;
    isChanged = true;
    if (drop.isWhole || entry.below === null) parent.below!.delete(name);
  }
  const cleared = context.losesPaths(index) ? clearOpaque(index, context) : { opened: [], hidden: [] };
  const wholeAbove = createNearest((at) => dropIn(at, index)?.isWhole === true);
  for (const at of [...bases.keys(), ...hidden]) {
    yield;
    if (dropIn(at, index) === undefined && wholeAbove(at) === undefined) continue;
    bases.delete(at);
    hidden.delete(at);
    isChanged = true;
  }
  for (const at of cleared.opened) hidden.delete(at);
  for (const at of cleared.hidden) hidden.add(at);
  isChanged ||= cleared.opened.length > 0;
  if (isChanged) yield* prune(index, context);
  const hiddenAbove = createNearest((at) => hidden.has(at));
  for (const [at, base] of bases) {
    yield;
    if (hasOrHides(tree, at) || hiddenAbove(at) !== undefined) continue;
    bases.delete(at);
    if (!carried.has(at)) carried.set(at, base);
  }
  for (const [at, base] of carried) {
    yield;
    if (!hasOrHides(tree, at) && hiddenAbove(at) === undefined) continue;
    bases.set(at, base);
    if (hidesBase(findEntry(tree, at), base)) hidden.add(at);
    carried.delete(at);
    isChanged = true;
  }
  return isChanged ? { bases, hidden } : null;
}

/** Makes directories above visible paths non-opaque. What the session had hidden there is hidden name by name. */
function clearOpaque(index: number, context: DropContext): { opened: string[]; hidden: string[] } {
  const { trees, shown, aboveShown, project } = context;
  const tree = trees[index]!;
  const opened: string[] = [];
  const hidden: string[] = [];
  for (const at of aboveShown) {
    const entry = findEntry(tree, at);
    if (entry === undefined || (entry.below !== null && !entry.isOpaque)) continue;
    const lower = trees
      .slice(0, context.from)
      .map((other) => findEntry(other, at))
      .findLast((found) => found?.below);
    if (lower === undefined && !isDirectoryIn(project, at)) continue;
    const directory = entry.below === null ? directoryEntry(lower?.from ?? fdPath(project.fd)) : entry;
    // This directory hid the lower directories of its subdirectories; now each must be opaque itself.
    if (directory.isOpaque)
      for (const below of directory.below!.values()) below.isOpaque ||= below.below !== null;
    directory.isOpaque = false;
    putEntry(tree, at, directory);
    opened.push(at);
    for (const name of seenNames(at, index, context)) {
      const below = joinPath(at, name);
      if (shown.has(below)) continue;
      const own = directory.below!.get(name);
      if (own === undefined) directory.below!.set(name, whiteoutEntry(tree.from as string));
      if (own === undefined || own.below === null || own.isOpaque) hidden.push(below);
    }
  }
  const isOpened = new Set(opened);
  return { opened, hidden: hidden.filter((at) => !isOpened.has(at)) };
}

/** Names in a directory that the session had seen when it hid them. Names that a user added since must stay visible. */
function seenNames(at: string, index: number, context: DropContext): Set<string> {
  const { stack, trees, known, project } = context;
  const { since } = stack[index]!;
  const own = trees.slice(0, index).flatMap((tree) => [...(findEntry(tree, at)?.below?.keys() ?? [])]);
  const isSeen = (name: string) => {
    const below = joinPath(at, name);
    const base = known.bases.get(below)?.base;
    if (base !== undefined) return base !== null;
    return existedWhenHidden(below, known, project) || isUnchanged(below, known, since, project);
  };
  const tree = openTreeReader(project);
  try {
    return new Set([...own, ...[...(kindsIn(tree, at)?.keys() ?? [])].filter(isSeen)]);
  } finally {
    tree.close();
  }
}

/** Removes empty directories that existed only as parents of dropped paths. */
function* prune(index: number, context: DropContext): Cooperative<void> {
  const directories = [...entriesIn(context.trees[index]!)].filter(({ entry }) => entry.below !== null);
  for (const directory of directories.reverse()) {
    yield;
    const { at, parent, name, entry } = directory;
    if (entry.below!.size > 0) continue;
    const isDropped = context.dropIn(at, index) !== undefined;
    if (isDropped || !isOwnDirectory(directory, index, context)) parent.below!.delete(name);
  }
}

/** Whether the session created or changed the directory itself, and does not only have it as a parent. */
function isOwnDirectory(
  { at, hidesLower }: Entry,
  index: number,
  { stack, trees, known, stateDir }: DropContext,
): boolean {
  const base = known.bases.get(at)?.base;
  if (base === undefined || base === null || base === "unknown" || base.kind !== "directory") return true;
  const below = hidesLower ? null : findVisibleLayer(at, trees.slice(0, index));
  if (below === null) return true;
  const modeIn = (other: number) =>
    withLayer(stack[other]!, stateDir, (root) => (statPath(root, at)?.mode ?? 0) & 0o7777);
  return modeIn(index) !== (below < 0 ? base.mode : modeIn(below));
}

/** The index of the layer whose directory is visible at a path; -1 if it is the project's, null if there is none. */
function findVisibleLayer(at: string, trees: readonly LayerEntry[]): number | null {
  const names = at.split("/");
  for (let index = trees.length - 1; index >= 0; index--) {
    let entry: LayerEntry | undefined = trees[index];
    let hidesLower = false;
    for (const name of names) {
      entry = entry?.below?.get(name);
      if (entry?.below === null) return null;
      hidesLower ||= entry?.isOpaque === true;
    }
    if (entry !== undefined) return index;
    if (hidesLower) return null;
  }
  return -1;
}

const isDirectoryIn = (root: Root, at: string): boolean => statPath(root, at)?.isDirectory() === true;

/** Parents first. */
function directoriesAbove(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths)
    for (let at = parentOf(path); at !== "" && !found.has(at); at = parentOf(at)) found.add(at);
  return [...found].sort((a, b) => a.length - b.length);
}

interface Entry {
  readonly at: string;
  readonly name: string;
  readonly parent: LayerEntry;
  readonly entry: LayerEntry;
  /** The entry, or a directory above it, hides the entries of lower layers. */
  readonly hidesLower: boolean;
}

/** Parents before children. Paths that are too deep go with the directory above them. */
function* entriesIn(tree: LayerEntry): Generator<Entry, void, void> {
  const pending = [{ directory: "", parent: tree, isHidden: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, parent, isHidden } = next;
    for (const [name, entry] of parent.below!) {
      const at = joinPath(directory, name);
      const hidesLower = isHidden || entry.isOpaque;
      yield { at, name, parent, entry, hidesLower };
      if (entry.below !== null && parent.below!.get(name) === entry && !isTooDeep(at))
        pending.push({ directory: at, parent: entry, isHidden: hidesLower });
    }
  }
}

function findEntry(tree: LayerEntry, at: string): LayerEntry | undefined {
  let found: LayerEntry | undefined = tree;
  for (const name of at.split("/")) found = found?.below?.get(name);
  return found;
}

/** Whether the layer has an entry at the path, or hides the path with a directory above it. */
function hasOrHides(tree: LayerEntry, at: string): boolean {
  let found: LayerEntry | undefined = tree;
  for (const name of at.split("/")) {
    found = found.below!.get(name);
    if (found === undefined) return false;
    if (found.below === null || found.isOpaque) return true;
  }
  return true;
}

/** Whether the layer's entry hides what the project has at the path or below it. */
function hidesBase(entry: LayerEntry | undefined, base: Base): boolean {
  if (entry === undefined || base === null) return false;
  if (entry.kind === "gone") return true;
  return base !== "unknown" && base.kind === "directory" && (entry.below === null || entry.isOpaque);
}

/** The parent directory must exist. */
function putEntry(tree: LayerEntry, at: string, entry: LayerEntry): void {
  const { directory, name } = splitPath(at);
  const parent = directory === "" ? tree : findEntry(tree, directory)!;
  parent.below!.set(name, entry);
}

// Takes paths out of layers. A layer that has some of them is replaced by one without them, which shares all other files
// with it; one that has nothing else is dropped. Afterwards these paths show what is below.
import path from "node:path";
import { joinPath, parentsOf } from "../fs/path-text.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";
import { layerDir, withLayer } from "../layers/layer-dirs.ts";
import { type Base, copyKeptText, type Notes, readNotes, writeNotes } from "../layers/layer-notes.ts";
import { directoryEntry, goneEntry, type LayerEntry, readLayers, writeLayer } from "../layers/layer-tree.ts";
import {
  type Layer,
  type SessionRecord,
  type Stack,
  sessionDir,
  withoutCollapsed,
} from "../layers/record.ts";
import { removeLayer } from "../layers/session-dirs.ts";
import { statPath } from "../layers/stat-of.ts";
import { createWhiteouts } from "../layers/whiteout.ts";
import { isUnchanged, type Known, readStack, rememberDirectories, wasThere } from "./bases/bases.ts";
import { kindsIn } from "./bases/kinds-in.ts";

/** What becomes of a path that is dropped. */
export interface Drop {
  /** Everything below it is dropped too. */
  readonly isWhole: boolean;
  /** What is below the layers has to be visible there: no directory above may hide it. */
  readonly isShown: boolean;
  /** The index of the last layer that loses it; all of them when left out. */
  readonly upTo?: number;
}

export interface DropOptions {
  readonly stateDir: string;
  readonly project: Root;
  /** The index of the first layer that loses the paths; all of them when left out. */
  readonly from?: number;
  /** The index of the last one. */
  readonly upTo?: number;
  /** Bases of paths that stay in some layer: the lowest that has one gets it. */
  readonly bases?: ReadonlyMap<string, Base>;
  readonly signal?: AbortSignal | undefined;
}

export interface DroppedStack {
  /** What stands in place of each layer; null: it had nothing else. */
  readonly replaced: ReadonlyMap<Layer, Layer | null>;
  /** The number of the next layer to be made. */
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
  const shown = [...drops].filter(([, { isShown }]) => isShown).map(([at]) => at);
  const dropping: Dropping = {
    stack,
    trees,
    from,
    isMeant: (index) => index >= from && index <= upTo,
    dropOf: (at, index) => (index < from || index > upTo ? undefined : dropOf(at, index, drops)),
    shown: new Set(shown),
    aboveShown: [...new Set(shown.flatMap((at) => [...parentsOf(at)]))].sort((a, b) => a.length - b.length),
    known: readStack(stack, stateDir),
    mayHaveCome: rememberDirectories(),
    carried: new Map(options.bases),
    stateDir,
    project,
  };
  const replaced = new Map<Layer, Layer | null>();
  const makeWhiteout = createWhiteouts(sessionDir(stateDir, id));
  let next = record.next;
  for (const [index, layer] of stack.entries()) {
    signal?.throwIfAborted();
    const notes = editLayer(index, dropping);
    if (notes === null) continue;
    const isEmpty = trees[index]!.below!.size === 0;
    const copy: Layer = { ...withoutCollapsed(layer), session: id, name: String(next) };
    replaced.set(layer, isEmpty ? null : copy);
    if (isEmpty) continue;
    next++;
    const to = layerDir(stateDir, copy);
    removeLayer(path.dirname(to), copy.name);
    await writeLayer(to, trees[index]!, strategy, makeWhiteout);
    for (const base of notes.bases.values()) copyKeptText(layer, copy, stateDir, base);
    writeNotes(copy, stateDir, notes);
  }
  return { replaced, next };
}

/** A stack with what stands in place of its layers. What stood for several layers at once stood for the old ones. */
export function replaceLayers(stack: Stack, replaced: DroppedStack["replaced"]): Stack {
  const first = stack.findIndex((layer) => replaced.has(layer));
  if (first < 0) return stack;
  return stack.flatMap((layer, index) => {
    const other = replaced.get(layer);
    if (other === null) return [];
    return [other ?? (index < first ? layer : withoutCollapsed(layer))];
  });
}

interface Dropping {
  readonly stack: Stack;
  /** As they are to be, up to the layer that is being edited. */
  readonly trees: readonly LayerEntry[];
  /** The index of the first layer that loses paths. */
  readonly from: number;
  /** Whether the layer with this index loses paths. */
  readonly isMeant: (index: number) => boolean;
  /** What becomes of a path in the layer with this index; undefined: it stays. */
  readonly dropOf: (at: string, index: number) => Drop | undefined;
  readonly shown: ReadonlySet<string>;
  /** Parents first. */
  readonly aboveShown: readonly string[];
  readonly known: Known;
  readonly mayHaveCome: ReturnType<typeof rememberDirectories>;
  /** Bases that are given, and those that have lost their layer: the next layer with the path gets them. */
  readonly carried: Map<string, Base>;
  readonly stateDir: string;
  readonly project: Root;
}

/** Changes the layer's tree, and gives its new notes; null when the layer stays as it is. */
function editLayer(index: number, dropping: Dropping): Notes | null {
  const { stack, trees, dropOf, carried, stateDir } = dropping;
  const tree = trees[index]!;
  const { bases, hidden } = readNotes(stack[index]!, stateDir);
  let isChanged = false;
  for (const { at, parent, name, entry } of entriesIn(tree)) {
    const drop = dropOf(at, index);
    if (drop === undefined) continue;
    isChanged = true;
    if (drop.isWhole || entry.below === null) parent.below!.delete(name);
  }
  const cuts = dropping.isMeant(index) ? openAboveShown(index, dropping) : { opened: [], hidden: [] };
  for (const at of [...bases.keys(), ...hidden].filter((at) => dropOf(at, index))) {
    bases.delete(at);
    hidden.delete(at);
    isChanged = true;
  }
  for (const at of cuts.opened) hidden.delete(at);
  for (const at of cuts.hidden) hidden.add(at);
  isChanged ||= cuts.opened.length > 0;
  if (isChanged) prune(index, dropping);
  for (const [at, base] of bases) {
    if (find(tree, at) !== undefined || hidden.has(at)) continue;
    bases.delete(at);
    if (!carried.has(at)) carried.set(at, base);
  }
  for (const [at, base] of carried) {
    if (find(tree, at) === undefined) continue;
    bases.set(at, base);
    carried.delete(at);
    isChanged = true;
  }
  return isChanged ? { bases, hidden } : null;
}

/** Makes the directories above what has to be visible show what is below them; what the session had hidden there is hidden name by name. */
function openAboveShown(index: number, dropping: Dropping): { opened: string[]; hidden: string[] } {
  const { trees, shown, aboveShown, project } = dropping;
  const tree = trees[index]!;
  const opened: string[] = [];
  const hidden: string[] = [];
  for (const at of aboveShown) {
    const entry = find(tree, at);
    if (entry === undefined || (entry.below !== null && !entry.isOpaque)) continue;
    const lower = trees
      .slice(0, dropping.from)
      .map((other) => find(other, at))
      .findLast((found) => found?.below);
    if (lower === undefined && !isDirectoryIn(project, at)) continue;
    const directory = entry.below === null ? directoryEntry(lower?.from ?? fdPath(project.fd)) : entry;
    // What was closed by this directory has to be closed by itself from now on.
    if (directory.isOpaque)
      for (const below of directory.below!.values()) below.isOpaque ||= below.below !== null;
    directory.isOpaque = false;
    put(tree, at, directory);
    opened.push(at);
    for (const name of seenNames(at, index, dropping)) {
      const below = joinPath(at, name);
      if (shown.has(below)) continue;
      const own = directory.below!.get(name);
      if (own === undefined) directory.below!.set(name, goneEntry(tree.from as string));
      if (own === undefined || own.below === null || own.isOpaque) hidden.push(below);
    }
  }
  return { opened, hidden: hidden.filter((at) => !opened.includes(at)) };
}

/** Names in a directory that the session had seen when it hid them: what a user has added since is not its to hide. */
function seenNames(at: string, index: number, dropping: Dropping): Set<string> {
  const { stack, trees, known, project, mayHaveCome } = dropping;
  const { since } = stack[index]!;
  const own = trees.slice(0, index).flatMap((tree) => [...(find(tree, at)?.below?.keys() ?? [])]);
  const isSeen = (name: string) => {
    const below = joinPath(at, name);
    const base = known.bases.get(below)?.base;
    if (base !== undefined) return base !== null;
    return (
      wasThere(below, known, project, mayHaveCome) || isUnchanged(below, known, since, project, mayHaveCome)
    );
  };
  const tree = openTreeReader(project);
  try {
    return new Set([...own, ...[...(kindsIn(tree, at)?.keys() ?? [])].filter(isSeen)]);
  } finally {
    tree.close();
  }
}

/** Removes directories in which nothing is left, and that only led there. */
function prune(index: number, dropping: Dropping): void {
  const directories = [...entriesIn(dropping.trees[index]!)].filter(({ entry }) => entry.below !== null);
  for (const { at, parent, name, entry } of directories.reverse()) {
    const isLeft = dropping.dropOf(at, index) === undefined && isOwnDirectory(at, index, dropping);
    if (entry.below!.size === 0 && !isLeft) parent.below!.delete(name);
  }
}

/** Whether the session itself has made or changed the directory: it does not only lead to something else. */
function isOwnDirectory(at: string, index: number, { stack, trees, known, stateDir }: Dropping): boolean {
  const base = known.bases.get(at)?.base;
  if (base === undefined || base === null || base === "unknown" || base.kind !== "directory") return true;
  const isClosed = [...parentsOf(at), at].some((above) => find(trees[index]!, above)!.isOpaque);
  const below = isClosed ? null : seenBelow(at, trees.slice(0, index));
  if (below === null) return true;
  const modeIn = (other: number) =>
    withLayer(stack[other]!, stateDir, (root) => (statPath(root, at)?.mode ?? 0) & 0o7777);
  return modeIn(index) !== (below < 0 ? base.mode : modeIn(below));
}

/** The index of the layer whose directory is seen at a path; -1 when it is the project's, null when nothing is. */
function seenBelow(at: string, trees: readonly LayerEntry[]): number | null {
  const names = at.split("/");
  for (let index = trees.length - 1; index >= 0; index--) {
    let entry: LayerEntry | undefined = trees[index];
    let isClosed = false;
    for (const name of names) {
      entry = entry?.below?.get(name);
      if (entry?.below === null) return null;
      isClosed ||= entry?.isOpaque === true;
    }
    if (entry !== undefined) return index;
    if (isClosed) return null;
  }
  return -1;
}

const isDirectoryIn = (root: Root, at: string): boolean => statPath(root, at)?.isDirectory() === true;

function dropOf(at: string, index: number, drops: ReadonlyMap<string, Drop>): Drop | undefined {
  const isMeant = (drop: Drop | undefined) => drop !== undefined && index <= (drop.upTo ?? index);
  const own = drops.get(at);
  if (isMeant(own)) return own;
  for (const above of parentsOf(at)) {
    const drop = drops.get(above);
    if (drop?.isWhole && isMeant(drop)) return drop;
  }
  return undefined;
}

interface Entry {
  readonly at: string;
  readonly name: string;
  readonly parent: LayerEntry;
  readonly entry: LayerEntry;
}

/** Parents before children. */
function* entriesIn(tree: LayerEntry): Generator<Entry, void, void> {
  const pending = [{ directory: "", parent: tree }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, parent } = next;
    for (const [name, entry] of parent.below!) {
      const at = joinPath(directory, name);
      yield { at, name, parent, entry };
      if (entry.below !== null && parent.below!.get(name) === entry)
        pending.push({ directory: at, parent: entry });
    }
  }
}

function find(tree: LayerEntry, at: string): LayerEntry | undefined {
  let found: LayerEntry | undefined = tree;
  for (const name of at.split("/")) found = found?.below?.get(name);
  return found;
}

/** The directory above is there. */
function put(tree: LayerEntry, at: string, entry: LayerEntry): void {
  const end = at.lastIndexOf("/");
  const parent = end < 0 ? tree : find(tree, at.slice(0, end))!;
  parent.below!.set(at.slice(end + 1), entry);
}

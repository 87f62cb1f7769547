// What a layer takes from sight of the project.
import fs from "node:fs";
import { joinPath } from "../diff/path-names.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import type { Trees } from "./bases.ts";
import { kindsIn } from "./kinds-in.ts";
import type { Base, Notes } from "./layer-notes.ts";
import { isGoneIn, layerDir, withLayer } from "./layers.ts";
import type { LayerDirectory } from "./looked.ts";
import type { Layer, SessionRecord } from "./record.ts";
import { statIn } from "./stat-in.ts";

/** Names of the project that are not in the view, in these directories of a layer; and its directories that are something else there. */
export function* hiddenBy(
  directories: readonly LayerDirectory[],
  { project, view }: Trees,
  notes: Notes,
): Generator<string, void, void> {
  const before = openTreeReader(project);
  const after = openTreeReader(view);
  try {
    for (const { directory, names } of directories.filter(({ isInProject }) => isInProject)) {
      const shown = kindsIn(after, directory);
      if (shown === null) continue;
      // What a user has put into a directory that he has made too is only not seen yet.
      const isSeenNext = isFirst(directory, notes);
      const own = new Set(isSeenNext ? names.map(({ name }) => name) : []);
      for (const [name, kind] of kindsIn(before, directory) ?? []) {
        const isShown = kind === "directory" ? shown.get(name) === kind : shown.has(name);
        if (!isShown && (!isSeenNext || own.has(name))) yield joinPath(directory, name);
      }
    }
  } finally {
    before.close();
    after.close();
  }
}

/** To go through a tree of any depth, directory by directory. */
export interface Readers {
  readonly before: TreeReader;
  readonly after: TreeReader;
}

/** Tells whether a directory of the live layer shows nothing of what is below: it was removed, and made anew. */
export function anewIn(
  { stack, strategy }: SessionRecord,
  stateDir: string,
  notes: Notes,
  { before, after }: Readers,
): (at: string, base: Base) => boolean {
  const below = stack.slice(0, -1).reverse();
  if (strategy === "clone")
    return (at, base) => base === null && !isFirst(at, notes) && isGoneIn(below, at, stateDir);
  const showsBelow = showsBelowIn(stack.at(-1)!, stateDir, { before, after });
  return (at, base) => {
    const mayHide = () => (base === null ? !isFirst(at, notes) : statIn(before, at)?.isDirectory() !== false);
    return !showsBelow(at) && mayHide();
  };
}

/** Whether an overlay unites a directory of its upper layer with others. It gives such a one a single link; and the number of one below, where all are on one disk. */
function showsBelowIn(layer: Layer, stateDir: string, { before, after }: Readers): (at: string) => boolean {
  const { nlink, dev } = fs.statSync(layerDir(stateDir, layer));
  if (nlink > 1) return (at) => (statIn(after, at)?.nlink ?? 1) === 1;
  // This file system counts no links.
  const inLayer = <T>(look: (tree: TreeReader) => T): T =>
    withLayer(layer, stateDir, (root) => {
      const tree = openTreeReader(root);
      try {
        return look(tree);
      } finally {
        tree.close();
      }
    });
  if (dev === statIn(before, "")?.dev)
    return (at) => statIn(after, at)?.ino !== inLayer((tree) => statIn(tree, at))?.ino;
  return (at) => {
    const shown = kindsIn(after, at);
    const own = inLayer((tree) => kindsIn(tree, at));
    return shown === null || [...shown.keys()].some((name) => own?.has(name) !== true);
  };
}

/** Whether neither the project nor a layer below had something there before the layer with these notes. */
function isFirst(at: string, { bases }: Notes): boolean {
  return bases.get(at) === null;
}

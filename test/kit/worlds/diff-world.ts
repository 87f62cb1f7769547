// Two trees on disk and the layers that lead from one to the other, opened as a session opens them.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createProtection } from "../../../src/policy/protected.ts";
import type { Change, TouchedEntry } from "../../../src/workspace/diff/changes.ts";
import { type DiffInput, diffTrees } from "../../../src/workspace/diff/diff-trees.ts";
import { patchText } from "../../../src/workspace/diff/render.ts";
import { runToEnd } from "../../../src/workspace/fs/cooperative.ts";
import { walkTree } from "../../../src/workspace/fs/tree.ts";
import { openTreeReader, type TreeReader } from "../../../src/workspace/fs/tree-reader.ts";
import { removeTree } from "../remove-tree.ts";
import { layerOf, type PlantedTree, plant, survey } from "./planted-tree.ts";

const O_PATH = 0o10000000;
export interface DiffWorld {
  readonly top: string;
  readonly before: string;
  readonly after: string;
  /** The diff of the present files. Layers are directories, oldest first; the name of a layer is the name of its call. */
  diff(layers: readonly string[], options?: Partial<DiffInput>): Change[];
  /** Creates a layer with this name, as an overlay would. */
  makeLayer(name: string, alsoTouched?: readonly string[]): void;
  patch(changes: readonly Change[]): Buffer;
  remove(): void;
}

export function makeDiffWorld(before: PlantedTree = new Map(), after: PlantedTree = new Map()): DiffWorld {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-diff-")));
  const dirs = { before: `${top}/before`, after: `${top}/after` };
  plant(dirs.before, before);
  plant(dirs.after, after);
  return {
    top,
    ...dirs,
    diff: (layers, options) =>
      withDirectories(
        [dirs.before, dirs.after, ...layers.map((name) => `${top}/${name}`)],
        ([old, now, ...fds]) =>
          withReaders(old!, now!, (readers) =>
            runToEnd(
              diffTrees({
                ...readers,
                project: old!,
                layers: fds.map((fd, index) => ({ entry: touchedIn(fd), call: layers[index]! })),
                isMounted: () => false,
                isHidden: () => false,
                protectionOf: createProtection(),
                ...options,
              }),
            ),
          ),
      ),
    makeLayer: (name, alsoTouched) =>
      plant(`${top}/${name}`, layerOf(survey(dirs.before), survey(dirs.after), alsoTouched)),
    patch: (changes) =>
      withDirectories([dirs.before, dirs.after], ([old, now]) =>
        withReaders(old!, now!, (readers) => Buffer.concat([...patchText(changes, readers)])),
      ),
    remove: () => removeTree(top),
  };
}

export function withReaders<T>(
  before: number,
  after: number,
  work: (readers: { readonly before: TreeReader; readonly after: TreeReader }) => T,
): T {
  const readers = { before: openTreeReader({ fd: before }), after: openTreeReader({ fd: after }) };
  try {
    return work(readers);
  } finally {
    readers.before.close();
    readers.after.close();
  }
}

/** A directory as a layer in which any directory may be opaque. */
export function touchedIn(fd: number): TouchedEntry {
  const root = { below: new Map<string, TouchedEntry>(), isOpaque: true };
  const levels = [root];
  for (const { step, name } of walkTree(fd)) {
    if (step === "leave") levels.pop();
    if (step === "entry") levels.at(-1)!.below.set(name, { below: null, isOpaque: false });
    if (step !== "enter") continue;
    const entered = { below: new Map<string, TouchedEntry>(), isOpaque: true };
    levels.at(-1)!.below.set(name, entered);
    levels.push(entered);
  }
  return root;
}

/** As O_PATH descriptors, closed afterwards. */
function withDirectories<T>(dirs: readonly string[], work: (fds: readonly number[]) => T): T {
  const fds = dirs.map((dir) => fs.openSync(dir, O_PATH | fs.constants.O_DIRECTORY));
  try {
    return work(fds);
  } finally {
    for (const fd of fds) fs.closeSync(fd);
  }
}

/** In the format of the brute-force comparison: a rename is a deletion and an addition. */
export function plainly(changes: readonly Change[]): string[] {
  const lines = changes.flatMap(({ kind, path, from }) =>
    kind === "renamed" ? [`deleted ${from}`, `added ${path}`] : [`${kind} ${path}`],
  );
  const pathOf = (line: string) => line.slice(line.indexOf(" ") + 1);
  return lines.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

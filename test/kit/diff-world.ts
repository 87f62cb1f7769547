// Two trees on disk and the layers that lead from one to the other, opened as a session opens them.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createProtection } from "../../src/policy/protected.ts";
import type { Change } from "../../src/workspace/diff/changes.ts";
import { type DiffInput, diffTrees } from "../../src/workspace/diff/diff-trees.ts";
import { type PatchReaders, patchText } from "../../src/workspace/diff/render.ts";
import { touchedByLayers } from "../../src/workspace/diff/touched.ts";
import { openTreeReader } from "../../src/workspace/diff/tree-reader.ts";
import { atOnce } from "../../src/workspace/pieces.ts";
import { layerOf, type PlantedTree, plant, survey } from "./planted-tree.ts";
import { removeTree } from "./remove-tree.ts";

const O_PATH = 0o10000000;
export interface DiffWorld {
  readonly top: string;
  readonly before: string;
  readonly after: string;
  /** Of what is on disk now. Layers are directories, oldest first; each stands for the call of its name. */
  diff(layers: readonly string[], options?: Partial<DiffInput>): Change[];
  /** A layer as an overlay would have made it, under this name. */
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
          atOnce(
            diffTrees({
              before: { fd: old! },
              after: { fd: now! },
              touched: touchedByLayers(fds.map((fd, index) => ({ fd, call: layers[index]! }))),
              isMasked: () => false,
              protectionOf: createProtection(),
              ...options,
            }),
          ),
      ),
    makeLayer: (name, alsoTouched) =>
      plant(`${top}/${name}`, layerOf(survey(dirs.before), survey(dirs.after), alsoTouched)),
    patch: (changes) =>
      withReaders(dirs.before, dirs.after, (readers) => Buffer.concat([...patchText(changes, readers)])),
    remove: () => removeTree(top),
  };
}

function withReaders<T>(before: string, after: string, work: (readers: PatchReaders) => T): T {
  return withDirectories([before, after], ([old, now]) => {
    const readers = { before: openTreeReader({ fd: old! }), after: openTreeReader({ fd: now! }) };
    try {
      return work(readers);
    } finally {
      readers.before.close();
      readers.after.close();
    }
  });
}

/** As O_PATH descriptors, closed afterwards. */
export function withDirectories<T>(dirs: readonly string[], work: (fds: readonly number[]) => T): T {
  const fds = dirs.map((dir) => fs.openSync(dir, O_PATH | fs.constants.O_DIRECTORY));
  try {
    return work(fds);
  } finally {
    for (const fd of fds) fs.closeSync(fd);
  }
}

/** As brute force says it: a renamed file is one that is gone and one that came. */
export function plainly(changes: readonly Change[]): string[] {
  const lines = changes.flatMap(({ kind, path, from }) =>
    kind === "renamed" ? [`deleted ${from}`, `added ${path}`] : [`${kind} ${path}`],
  );
  const pathOf = (line: string) => line.slice(line.indexOf(" ") + 1);
  return lines.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

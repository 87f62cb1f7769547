// Writes changes of the working copy into the live layer. The capture sets each path to its state in the working
// copy, whatever the layer has there. So an interrupted capture can be repeated.
import fs from "node:fs";
import { createPace, type Pace } from "../fs/cooperative.ts";
import { clear, copyEntry, goInto, makeReadable } from "../fs/copy-entry.ts";
import { createCursor } from "../fs/cursor.ts";
import { fileClock } from "../fs/file-clock.ts";
import { createFollower } from "../fs/follow-tree.ts";
import { makeAlike } from "../fs/metadata.ts";
import { putPlaceholder, readGone, syncLayer, writeGone } from "../layers/clone-layer.ts";
import {
  type CloneTree,
  childOf,
  type Difference,
  isDirectory,
  type MergedPath,
  namesInStanding,
} from "../layers/clone-tree.ts";
import type { SeenEntry } from "./clone-look.ts";
import { tourDifferences } from "./clone-tour.ts";

export interface Capturing {
  /** The working copy at the last update of the layer. */
  readonly have: MergedPath;
  /** The present working copy. If an entry vanishes meanwhile, the next scan must treat it as changed. */
  readonly copy: CloneTree & { readonly root: SeenEntry };
  /** The tree that is visible without the live layer. */
  readonly below: MergedPath;
  /** The project's tree. The live layer hides each removed path of the project, even if a lower layer hides it too. */
  readonly project: MergedPath;
  /** The live layer's directory. */
  readonly layer: string;
}

interface Level {
  readonly name: string;
  readonly seen: SeenEntry;
  /** The content of this directory that is visible without the live layer. */
  readonly below: MergedPath;
  readonly project: MergedPath;
  /** The directory in the working copy; null if it is gone. */
  readonly model: fs.Stats | null;
}

export async function capture(capturing: Capturing): Promise<void> {
  const { have, copy, layer } = capturing;
  const beganMs = fileClock(layer);
  const pace = createPace();
  const gone = readGone(layer);
  const { end, ...steps } = beginCapturing(capturing, gone, pace);
  try {
    await tourDifferences(have, [{ tree: copy, entry: copy.root }], steps, pace);
  } finally {
    end();
  }
  writeGone(layer, gone);
  await syncLayer(layer, beganMs);
}

function beginCapturing({ copy, layer, ...capturing }: Capturing, gone: Set<string>, pace: Pace) {
  const root = fs.openSync(layer, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const to = createCursor(root);
  const from = createFollower(copy.at);
  const levels: Level[] = [{ name: "", seen: copy.root, ...capturing, model: null }];
  const level = (): Level => levels.at(-1)!;
  const pathOf = (name: string): string => [...levels.slice(1).map((above) => above.name), name].join("/");

  /** Removes this name, and everything below it, from the layer. */
  const forget = async (name: string): Promise<void> => {
    const wasDirectory = await clear({ dir: to.fd, name }, pace);
    if (gone.size === 0) return;
    const path = pathOf(name);
    gone.delete(path);
    if (wasDirectory) for (const other of gone) if (other.startsWith(`${path}/`)) gone.delete(other);
  };
  const hide = async (name: string): Promise<void> => {
    await forget(name);
    const { below, project } = level();
    if (childOf(below, name).length + childOf(project, name).length === 0) return;
    putPlaceholder({ dir: to.fd, name });
    gone.add(pathOf(name));
  };

  return {
    async entry({ name, want }: Difference) {
      if (want.length === 0) return hide(name);
      await forget(name);
      const dir = from.dir();
      const made = dir === null ? null : await copyEntry({ dir, name }, { dir: to.fd, name });
      if (made === null) level().seen.below!.get(name)!.ctimeMs = -1;
    },
    async enter({ name, have }: Difference) {
      const model = from.like(name);
      from.enter(name);
      const isNew = await goInto(to, name, model, pace);
      if (isNew && gone.size > 0) gone.delete(pathOf(name));
      const { seen, below, project } = level();
      const within = { below: childOf(below, name), project: childOf(project, name) };
      levels.push({ name, seen: seen.below!.get(name)!, ...within, model });
      if (isDirectory(have)) return;
      // A recreated directory must not show the entries of the previous one.
      const hidden = new Set([...namesInStanding(within.below), ...namesInStanding(within.project)]);
      for (const other of hidden) if (!level().seen.below!.has(other)) await hide(other);
    },
    async leave() {
      const { model } = levels.pop()!;
      if (model !== null) makeAlike(to.fd, model);
      // An agent may have removed its own rights; hotcell must still find its changes.
      makeReadable(to.fd);
      to.up();
      from.leave();
    },
    end() {
      to.close();
      from.close();
      fs.closeSync(root);
    },
  };
}

// Puts what changed in the working copy into the live layer. Each path is made what it is in the working copy
// whatever the layer has there, so it can be done again when it was interrupted.
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
  /** What the working copy had when the layer was last brought up to date. */
  readonly have: MergedPath;
  /** The working copy as it is now. What vanishes meanwhile is marked to be looked at again. */
  readonly copy: CloneTree & { readonly root: SeenEntry };
  /** What is seen without the live layer. */
  readonly below: MergedPath;
  /** What the project has: the layer tells of all that is not seen of it, also where a layer below hides it. */
  readonly project: MergedPath;
  /** The live layer's directory. */
  readonly layer: string;
}

interface Level {
  readonly name: string;
  readonly seen: SeenEntry;
  /** What is seen here without the live layer. */
  readonly below: MergedPath;
  readonly project: MergedPath;
  /** The directory in the working copy; null when it is gone by now. */
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

  /** The layer knows nothing of this name any more, nor of anything below it. */
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
      // A directory that was made anew: what was in the one before it must not be seen in this one.
      const hidden = new Set([...namesInStanding(within.below), ...namesInStanding(within.project)]);
      for (const other of hidden) if (!level().seen.below!.has(other)) await hide(other);
    },
    async leave() {
      const { model } = levels.pop()!;
      if (model !== null) makeAlike(to.fd, model);
      // Whatever rights an agent took from itself, its changes have to be found.
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

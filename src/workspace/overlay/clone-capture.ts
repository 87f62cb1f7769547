// Writes changes of the working copy into the live layer. The capture sets each path to its state in the working
// copy, whatever the layer has there. So an interrupted capture can be repeated.
import fs from "node:fs";
import { createPace, type Pace } from "../fs/cooperative.ts";
import { clearEntry, copyEntry, enterForCopy, makeReadable } from "../fs/copy-entry.ts";
import { createCursor } from "../fs/cursor.ts";
import { fileClock } from "../fs/file-clock.ts";
import { createFollower } from "../fs/follow-tree.ts";
import { copyModeAndTimes } from "../fs/metadata.ts";
import { putPlaceholder, syncLayer } from "../layers/clone-layer.ts";
import {
  type CloneTree,
  childOf,
  type Difference,
  isDirectory,
  type MergedPath,
  namesInStanding,
} from "../layers/clone-tree.ts";
import { attachDeleted, type DeletedNames, readDeleted, writeDeleted } from "../layers/deleted-names.ts";
import { visitDifferences } from "./clone-differences.ts";
import type { ScannedEntry } from "./clone-scan.ts";

export interface CaptureOptions {
  /** The working copy at the last update of the layer. */
  readonly have: MergedPath;
  /** The present working copy. If an entry vanishes meanwhile, the next scan must treat it as changed. */
  readonly copy: CloneTree & { readonly root: ScannedEntry };
  /** The tree that is visible without the live layer. */
  readonly below: MergedPath;
  /** The project's tree. The live layer hides each removed path of the project, even if a lower layer hides it too. */
  readonly project: MergedPath;
  /** The live layer's directory. */
  readonly layer: string;
}

interface Level {
  readonly name: string;
  readonly seen: ScannedEntry;
  /** The content of this directory that is visible without the live layer. */
  readonly below: MergedPath;
  readonly project: MergedPath;
  /** The deleted names that the layer has below this directory. */
  readonly deleted: DeletedNames;
  /** The directory in the working copy; null if it is gone. */
  readonly model: fs.Stats | null;
}

export async function capture(capturing: CaptureOptions): Promise<void> {
  const { have, copy, layer } = capturing;
  const beganMs = fileClock(layer);
  const pace = createPace();
  const deleted = readDeleted(layer);
  const { end, ...steps } = beginCapturing(capturing, deleted, pace);
  try {
    await visitDifferences(have, [{ tree: copy, entry: copy.root }], steps, pace);
  } finally {
    end();
  }
  writeDeleted(layer, deleted);
  await syncLayer(layer, beganMs);
}

function beginCapturing({ copy, layer, ...capturing }: CaptureOptions, deleted: DeletedNames, pace: Pace) {
  const root = fs.openSync(layer, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const to = createCursor(root);
  const from = createFollower(copy.at);
  const levels: Level[] = [{ name: "", seen: copy.root, ...capturing, deleted, model: null }];
  const level = (): Level => levels.at(-1)!;

  /** Removes this name, and everything below it, from the layer. */
  const forget = async (name: string): Promise<void> => {
    await clearEntry({ dir: to.fd, name }, pace);
    level().deleted.delete(name);
  };
  const hide = async (name: string): Promise<void> => {
    await forget(name);
    const { below, project } = level();
    if (childOf(below, name).length + childOf(project, name).length === 0) return;
    putPlaceholder({ dir: to.fd, name });
    level().deleted.set(name, null);
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
      const isNew = await enterForCopy(to, name, model, pace);
      const { seen, below, project, deleted } = level();
      const within = { below: childOf(below, name), project: childOf(project, name) };
      const known = isNew ? null : deleted.get(name);
      levels.push({ name, seen: seen.below!.get(name)!, ...within, deleted: known ?? new Map(), model });
      if (isDirectory(have)) return;
      // A recreated directory must not show the entries of the previous one.
      const hidden = new Set([...namesInStanding(within.below), ...namesInStanding(within.project)]);
      for (const other of hidden) if (!level().seen.below!.has(other)) await hide(other);
    },
    async leave() {
      const { name, deleted, model } = levels.pop()!;
      attachDeleted(level().deleted, name, deleted);
      if (model !== null) copyModeAndTimes(to.fd, model);
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

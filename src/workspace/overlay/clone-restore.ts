// Brings a directory from one view to another: only what differs is touched. Readers see each file wholly old
// or wholly new.
import fs from "node:fs";
import { createCursor } from "../cursor.ts";
import { childPath, fdPath, TEMP_PREFIX } from "../paths.ts";
import { makeAlike } from "./alike.ts";
import { clear, copyEntry, goInto, makeWritable, type Spot } from "./clone-copy.ts";
import { createFollower } from "./clone-follower.ts";
import { type SeenEntry, seenDirectory, seenFile } from "./clone-look.ts";
import { createPace, type Pace } from "./clone-pace.ts";
import { tourDifferences } from "./clone-tour.ts";
import type { Difference, Standing } from "./clone-tree.ts";

export interface Restoring {
  /** Open directory. */
  readonly target: number;
  /** What is in it; kept up to date. */
  readonly known: Map<string, SeenEntry>;
  /** Told of each name that was brought over. */
  readonly onStep?: () => void;
}

export async function restore(have: Standing, want: Standing, restoring: Restoring): Promise<void> {
  const pace = createPace();
  const { end, ...steps } = beginCopying(want, restoring, pace);
  try {
    await tourDifferences(have, want, steps, pace);
  } finally {
    end();
  }
}

interface Level {
  /** What is known to be in the directory. */
  readonly below: Map<string, SeenEntry>;
  /** It was made just now: nothing can be in the way. */
  readonly isNew: boolean;
  /** The directory that this one shall be like; null when it is gone by now. */
  readonly model: fs.Stats | null;
}

function beginCopying(want: Standing, { target, known, onStep }: Restoring, pace: Pace) {
  const { mode: rootMode } = fs.fstatSync(target);
  makeWritable(target);
  const to = createCursor(target);
  const sources = new Map(want.map(({ tree }) => [tree, createFollower(tree.at)]));
  const levels: Level[] = [{ below: known, isNew: false, model: null }];
  const level = (): Level => levels.at(-1)!;
  /** Where the tour is, in the tree whose version is seen; null when nothing is there by now. */
  const sourceOf = (seen: Standing): number | null => sources.get(seen[0]!.tree)!.dir();

  return {
    async entry({ name, want }: Difference) {
      onStep?.();
      const { below, isNew } = level();
      const spot = { dir: to.fd, name };
      const dir = want.length === 0 ? null : sourceOf(want);
      const put = isNew ? copyEntry : replaceEntry;
      const made = dir === null ? null : await put({ dir, name }, spot, pace);
      const seen = made && seenFile(made);
      if (seen) return void below.set(name, seen);
      if (!isNew) await clear(spot, pace);
      below.delete(name);
    },
    async enter({ name, want }: Difference) {
      onStep?.();
      for (const source of sources.values()) source.enter(name);
      const dir = sourceOf(want);
      const model = dir === null ? null : fs.fstatSync(dir);
      const isNew = await goInto(to, name, model, pace);
      levels.push({ below: level().below.get(name)?.below ?? new Map(), isNew, model });
    },
    async leave({ name }: Difference) {
      const { below, model } = levels.pop()!;
      if (model !== null) makeAlike(to.fd, model);
      const { mode } = fs.fstatSync(to.fd);
      to.up();
      for (const source of sources.values()) source.leave();
      level().below.set(name, seenDirectory(mode, below));
    },
    end() {
      fs.chmodSync(fdPath(target), rootMode & 0o7777);
      to.close();
      for (const source of sources.values()) source.close();
    },
  };
}

/** Whatever is there goes in the same step; a directory goes before. */
async function replaceEntry(from: Spot, to: Spot, pace: Pace): Promise<fs.Stats | null> {
  const temporary = { dir: to.dir, name: `${TEMP_PREFIX}copy` };
  await clear(temporary, pace);
  const made = await copyEntry(from, temporary);
  if (made === null) return null;
  const at = childPath(to.dir, to.name);
  if (fs.lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) await clear(to, pace);
  fs.renameSync(childPath(temporary.dir, temporary.name), at);
  const moved = fs.lstatSync(at, { throwIfNoEntry: false });
  // A rename changes the time; what somebody else has put there by now is not ours.
  return moved?.ino === made.ino ? moved : made;
}

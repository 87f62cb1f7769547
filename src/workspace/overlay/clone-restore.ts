// Updates a directory from one view to another. It touches only entries that differ. Readers see each file
// entirely old or entirely new.
import fs from "node:fs";
import { createPace, type Pace } from "../fs/cooperative.ts";
import { clearEntry, copyEntry, enterForCopy, makeWritable } from "../fs/copy-entry.ts";
import { type Cursor, createCursor } from "../fs/cursor.ts";
import { createFollower, type Follower } from "../fs/follow-tree.ts";
import { copyModeAndTimes, kindAt } from "../fs/metadata.ts";
import type { EntryRef } from "../fs/no-follow.ts";
import { childPath, fdPath, openChild, TEMP_PREFIX } from "../fs/paths.ts";
import type { Difference, MergedPath } from "../layers/clone-tree.ts";
import { visitDifferences } from "./clone-differences.ts";
import { createScannedDirectory, createScannedFile, type ScannedEntry } from "./clone-scan.ts";

export interface RestoreOptions {
  /** Open directory. */
  readonly target: number;
  /** The known content of the target; `restore` keeps it up to date. */
  readonly known: Map<string, ScannedEntry>;
  /** Called for each name that is copied. */
  readonly onStep?: () => void;
}

export async function restore(have: MergedPath, want: MergedPath, restoring: RestoreOptions): Promise<void> {
  const pace = createPace();
  const { end, ...steps } = beginCopying(want, restoring, pace);
  try {
    await visitDifferences(have, want, steps, pace);
  } finally {
    end();
  }
}

interface Level {
  /** The known content of the directory. */
  readonly below: Map<string, ScannedEntry>;
  /** The directory was just created, so no entry can be in the way. */
  readonly isNew: boolean;
  /** The source of the directory's attributes; null if that directory is gone. */
  readonly model: fs.Stats | null;
}

function beginCopying(want: MergedPath, { target, known, onStep }: RestoreOptions, pace: Pace) {
  const { mode: rootMode } = fs.fstatSync(target);
  makeWritable(target);
  const to = createCursor(target);
  const sources = new Map(want.map(({ tree }) => [tree, createFollower(tree.at)]));
  const levels: Level[] = [{ below: known, isNew: false, model: null }];
  const level = (): Level => levels.at(-1)!;
  /** The follower of the tree whose version is visible. */
  const sourceOf = (seen: MergedPath): Follower => sources.get(seen[0]!.tree)!;

  return {
    async entry({ name, want }: Difference) {
      onStep?.();
      const { below, isNew } = level();
      const ref = { dir: to.fd, name };
      const dir = want.length === 0 ? null : sourceOf(want).dir();
      const put = isNew ? copyEntry : replaceEntry;
      const made = dir === null ? null : await put({ dir, name }, ref, pace);
      const seen = made && createScannedFile(made);
      if (seen) return void below.set(name, seen);
      if (!isNew) await clearEntry(ref, pace);
      below.delete(name);
    },
    async enter({ name, want }: Difference) {
      onStep?.();
      const model = sourceOf(want).like(name);
      for (const source of sources.values()) source.enter(name);
      const isNew = await enterForCopy(to, name, model, pace);
      levels.push({ below: level().below.get(name)?.below ?? new Map(), isNew, model });
    },
    async leave({ name }: Difference) {
      const { below, model } = levels.pop()!;
      const mode = leaveWithAttributes(to, model);
      for (const source of sources.values()) source.leave();
      level().below.set(name, createScannedDirectory(mode, below));
    },
    end() {
      fs.chmodSync(fdPath(target), rootMode & 0o7777);
      to.close();
      for (const source of sources.values()) source.close();
    },
  };
}

/** Returns the directory's final mode. The cursor leaves first, because that mode may prevent leaving. */
function leaveWithAttributes(cursor: Cursor, model: fs.Stats | null): number {
  const left = openChild(cursor.fd, ".");
  try {
    cursor.up();
    if (model !== null) copyModeAndTimes(left, model);
    return fs.fstatSync(left).mode;
  } finally {
    fs.closeSync(left);
  }
}

/** The rename replaces an existing entry atomically. An existing directory is removed before. */
async function replaceEntry(from: EntryRef, to: EntryRef, pace: Pace): Promise<fs.Stats | null> {
  const temporary = { dir: to.dir, name: `${TEMP_PREFIX}copy` };
  await clearEntry(temporary, pace);
  const made = await copyEntry(from, temporary);
  if (made === null) return null;
  const at = childPath(to.dir, to.name);
  if (kindAt(to.dir, to.name) === "directory") await clearEntry(to, pace);
  fs.renameSync(childPath(temporary.dir, temporary.name), at);
  const moved = fs.lstatSync(at, { throwIfNoEntry: false });
  // A rename changes the change time. Another inode there was put by another process.
  return moved?.ino === made.ino ? moved : made;
}

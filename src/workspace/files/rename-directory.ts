// overlayfs cannot rename a directory that exists in the project. hotcell then moves its content name by name, and
// moves it back if that fails.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { createCursor } from "../fs/cursor.ts";
import { copyModeAndTimes } from "../fs/metadata.ts";
import { ownerOfReplaced } from "../fs/owner.ts";
import { childPath, openChildDirectory } from "../fs/paths.ts";
import { walkTree } from "../fs/tree.ts";
import { makeDirectory, removeBelow } from "../fs/tree-change.ts";

/** A name in an open directory. */
interface EntryRef {
  readonly dir: number;
  readonly name: string;
}

const pathOf = ({ dir, name }: EntryRef): string | Buffer => childPath(dir, name);

/** Replaces an existing empty directory, like `rename(2)`. */
export function renameDirectory(from: EntryRef, to: EntryRef): void {
  try {
    fs.renameSync(pathOf(from), pathOf(to));
  } catch (error) {
    if (osErrorCode(error) !== "EXDEV") throw error;
    moveByNames(from, to);
  }
}

function moveByNames(from: EntryRef, to: EntryRef): void {
  removeEmpty(to);
  const source = openChildDirectory(from.dir, from.name);
  try {
    makeDirectory(to.dir, to.name, ownerOfReplaced(fs.fstatSync(source)));
    const target = openChildDirectory(to.dir, to.name);
    try {
      moveAllOrNothing(source, target, to);
    } finally {
      fs.closeSync(target);
    }
    removeBelow(source);
  } finally {
    fs.closeSync(source);
  }
  fs.rmdirSync(pathOf(from));
}

function removeEmpty(ref: EntryRef): void {
  try {
    fs.rmdirSync(pathOf(ref));
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") throw error;
  }
}

function moveAllOrNothing(source: number, target: number, to: EntryRef): void {
  try {
    moveBelow(source, target);
  } catch (error) {
    moveBelow(target, source);
    removeBelow(target);
    fs.rmdirSync(pathOf(to));
    throw error;
  }
}

/** Moves all entries except directories, which it recreates with the same attributes. */
function moveBelow(from: number, to: number): void {
  const target = createCursor(to);
  const stats = [fs.fstatSync(from)];
  try {
    copyModeAndTimes(target.fd, stats[0]!);
    for (const { step, dir, name } of walkTree(from, { temporary: true })) {
      if (step === "entry") fs.renameSync(childPath(dir, name), childPath(target.fd, name));
      if (step === "enter") {
        const stat = fs.fstatSync(dir);
        makeDirectory(target.fd, name, ownerOfReplaced(stat));
        target.down(name);
        copyModeAndTimes(target.fd, stat);
        stats.push(stat);
      }
      if (step === "leave") {
        copyModeAndTimes(target.fd, stats.pop()!);
        target.up();
      }
    }
    copyModeAndTimes(target.fd, stats[0]!);
  } finally {
    target.close();
  }
}

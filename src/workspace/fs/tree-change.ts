// Creates, copies and removes trees of any depth. Every name is used relative to an open directory, so a directory
// that is swapped for a link meanwhile cannot redirect the access.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { openNewFile } from "./atomic-write.ts";
import { type Cooperative, runToEnd } from "./cooperative.ts";
import { type Cursor, createCursor } from "./cursor.ts";
import { kindAt } from "./metadata.ts";
import type { EntryRef } from "./no-follow.ts";
import { copyBytes, O_RDONLY, openFile } from "./open-file.ts";
import { chownNew, type Owner } from "./owner.ts";
import { childPath, fdPath, type OpenEntry, openChild, openChildDirectory } from "./paths.ts";
import { walkTree } from "./tree.ts";

/** Accepts an existing entry of that name; entering it shows whether it is a directory. */
export function makeDirectory(dir: number, name: string, owner: Owner | null): void {
  try {
    makeNewDirectory(dir, name, owner);
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
  }
}

function makeNewDirectory(dir: number, name: string, owner: Owner | null): void {
  makeOwned(dir, name, owner, (at) => fs.mkdirSync(at));
}

export function makeLink(target: string | Buffer, dir: number, name: string, owner: Owner | null): void {
  makeOwned(dir, name, owner, (at) => fs.symlinkSync(target, at));
}

function makeOwned(
  dir: number,
  name: string,
  owner: Owner | null,
  make: (at: string | Buffer) => void,
): void {
  const began = Date.now();
  make(childPath(dir, name));
  if (owner !== null) chownNew(dir, name, owner, began);
}

export function removeBelow(dir: number, unlock = false): void {
  runToEnd(removeBelowCooperatively(dir, unlock));
}

export function* removeBelowCooperatively(dir: number, unlock = false): Cooperative<void> {
  for (const { step, dir: holder, name, trail } of walkTree(dir, { temporary: true, unlock })) {
    if (step === "enter" && trail.length % COPIED_UP_AT_ONCE === 0) tryCopyUp(holder);
    if (step === "entry") fs.unlinkSync(childPath(holder, name));
    if (step === "leave") fs.rmdirSync(childPath(holder, name));
    yield;
  }
}

/** A change deep in a tree makes overlayfs copy up all directories above, in time quadratic in their number. So some are copied up on the way down. */
const COPIED_UP_AT_ONCE = 100;

function tryCopyUp(dir: number): void {
  try {
    const { atimeMs, mtimeMs } = fs.fstatSync(dir);
    fs.utimesSync(fdPath(dir), atimeMs / 1000, mtimeMs / 1000);
  } catch {
    // A user who does not own the directory only waits longer.
  }
}

/** Copies a directory tree to a new directory, and removes the copy if it fails. Special files are omitted. */
export function* copyTree(
  from: OpenEntry,
  dir: number,
  name: string,
  owner: Owner | null,
): Cooperative<void> {
  makeNewDirectory(dir, name, owner);
  const target = createCursor(dir);
  try {
    target.down(name);
    yield* copyBelow(from, target, owner);
  } catch (error) {
    tryRemoveTree(dir, name);
    throw error;
  } finally {
    target.close();
  }
}

function* copyBelow(from: OpenEntry, target: Cursor, owner: Owner | null): Cooperative<void> {
  const modes = [from.stat.mode];
  // The mode is set last: a read-only directory has to be filled first.
  const finish = () => fs.chmodSync(fdPath(target.fd), modes.pop()! & 0o777);
  for (const { step, dir, name } of walkTree(from.fd)) {
    if (step === "entry") yield* copyEntry(dir, target.fd, name, owner);
    if (step === "enter") {
      makeNewDirectory(target.fd, name, owner);
      target.down(name);
      modes.push(fs.fstatSync(dir).mode);
    }
    if (step === "leave") {
      finish();
      target.up();
    }
  }
  finish();
}

function tryRemoveTree(dir: number, name: string): void {
  try {
    const made = openChildDirectory(dir, name);
    try {
      removeBelow(made);
    } finally {
      fs.closeSync(made);
    }
    fs.rmdirSync(childPath(dir, name));
  } catch {
    // A part that cannot be removed stays. The caller reports why the copy failed.
  }
}

function* copyEntry(from: number, to: number, name: string, owner: Owner | null): Cooperative<void> {
  const fd = openChild(from, name);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) yield* copyFile({ fd, stat }, to, name, owner);
    if (!stat.isSymbolicLink()) return;
    makeLink(fs.readlinkSync(childPath(from, name), "buffer"), to, name, owner);
  } finally {
    fs.closeSync(fd);
  }
}

function* copyFile(from: OpenEntry, dir: number, name: string, owner: Owner | null): Cooperative<void> {
  const open = [openFile(from, name, O_RDONLY)];
  try {
    open.push(openNewFile(childPath(dir, name), { mode: from.stat.mode, owner }));
    const [source, copy] = open as [number, number];
    yield* copyBytes(source, name, copy);
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
}

/** Removes the entry at a name, if there is one. A directory goes with its content, even if its owner lacks rights to it. */
export function removeEntry({ dir, name }: EntryRef): void {
  const kind = kindAt(dir, name);
  if (kind === "directory") removeDirectory(dir, name);
  else if (kind !== null) fs.unlinkSync(childPath(dir, name));
}

function removeDirectory(dir: number, name: string): void {
  const fd = openChildDirectory(dir, name);
  try {
    removeBelow(fd, true);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(childPath(dir, name));
}

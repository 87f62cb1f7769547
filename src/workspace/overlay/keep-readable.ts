// An agent may remove its own user's right to read an entry. Without root's rights, diff, commit and discard would
// fail there. So hotcell keeps every entry of a layer readable to its owner.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { FileKind } from "../files/workspace-fs.ts";
import { createPace } from "../fs/cooperative.ts";
import { createFollower } from "../fs/follow-tree.ts";
import { allowOwner } from "../fs/metadata.ts";
import { childPath, fdPath, openChild } from "../fs/paths.ts";
import { walkTree } from "../fs/tree.ts";

/** The mode bits needed to read an entry. Root needs none, and a link is always readable. */
export function rightsToRead(kind: FileKind): number {
  if (process.geteuid?.() === 0) return 0;
  if (kind === "directory") return 0o500;
  return kind === "file" ? 0o400 : 0;
}

/** Walks an open layer. Makes its unreadable entries readable through the view that has the layer on top. */
export async function keepReadable(layer: number, view: number): Promise<void> {
  if (rightsToRead("directory") === 0) return;
  allowOwner(view, rightsToRead("directory"));
  const pace = createPace();
  const shown = createFollower(fdPath(view));
  try {
    for (const { step, dir, name, kind } of walkTree(layer, { temporary: true, unreadable: () => {} })) {
      await pace();
      if (step === "leave") shown.leave();
      else if (isUnreadable(step === "enter" ? fs.fstatSync(dir) : lstatAt(dir, name), kind))
        tryAllow(shown.dir(), name, rightsToRead(kind));
      // The tour has not listed the directory yet, so the directory becomes readable in time.
      if (step === "enter") shown.enter(name);
    }
  } finally {
    shown.close();
  }
}

function lstatAt(dir: number, name: string): fs.Stats | undefined {
  return fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
}

function isUnreadable(stat: fs.Stats | undefined, kind: FileKind): boolean {
  const rights = rightsToRead(kind);
  return stat !== undefined && (stat.mode & rights) !== rights;
}

/** Skips an entry that is gone or whose mode this user may not change. */
function tryAllow(dir: number | null, name: string, rights: number): void {
  try {
    if (dir !== null) allowAt(dir, name, rights);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
}

export function allowAt(dir: number, name: string, rights: number): void {
  const fd = openChild(dir, name);
  try {
    if (!fs.fstatSync(fd).isSymbolicLink()) allowOwner(fd, rights);
  } finally {
    fs.closeSync(fd);
  }
}

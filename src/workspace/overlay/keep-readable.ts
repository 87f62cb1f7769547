// An agent may remove its own user's right to read an entry. Without root's rights, diff, commit and discard would
// fail there. So hotcell keeps every entry of a layer readable to its owner.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { FileKind } from "../files/workspace-fs.ts";
import { createCursor } from "../fs/cursor.ts";
import { allowOwner } from "../fs/metadata.ts";
import { childPath, openChild } from "../fs/paths.ts";
import { tourTree } from "../fs/tree.ts";

/** The mode bits needed to read an entry. Root needs none, and a link is always readable. */
export function rightsToRead(kind: FileKind): number {
  if (process.geteuid?.() === 0) return 0;
  if (kind === "directory") return 0o500;
  return kind === "file" ? 0o400 : 0;
}

/** Walks an open layer. Makes its unreadable entries readable through the view that has the layer on top. */
export function keepReadable(layer: number, view: number): void {
  if (rightsToRead("directory") === 0) return;
  allowOwner(view, rightsToRead("directory"));
  for (const { step, dir, name, kind, trail } of tourTree(layer, { temporary: true, unreadable: () => {} })) {
    const rights = rightsToRead(kind);
    if (step === "leave" || rights === 0) continue;
    // On `enter` the tour has not listed the directory yet, so the directory becomes readable in time.
    const stat = step === "enter" ? fs.fstatSync(dir) : lstatAt(dir, name);
    if (stat !== undefined && (stat.mode & rights) !== rights) tryAllow(view, trail, rights);
  }
}

function lstatAt(dir: number, name: string): fs.Stats | undefined {
  return fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
}

/** Skips an entry that is gone or whose mode this user may not change. */
function tryAllow(view: number, trail: readonly string[], rights: number): void {
  const cursor = createCursor(view);
  try {
    for (const name of trail.slice(0, -1)) cursor.down(name);
    allowAt(cursor.fd, trail.at(-1)!, rights);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  } finally {
    cursor.close();
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

// An agent may take from its own user the right to read what it has made. Without root's rights no diff, commit
// or discard could go on from there: so the owner can always read what a layer has.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { FileKind } from "../files/workspace-fs.ts";
import { createCursor } from "../fs/cursor.ts";
import { allowOwner } from "../fs/metadata.ts";
import { childPath, openChild } from "../fs/paths.ts";
import { tourTree } from "../fs/tree.ts";

/** What it takes to read a file or a directory. Root needs nothing, and a link can always be read. */
export function rightsToRead(kind: FileKind): number {
  if (process.geteuid?.() === 0) return 0;
  if (kind === "directory") return 0o500;
  return kind === "file" ? 0o400 : 0;
}

/** Goes through an open layer; what is closed there is opened in the view that has it on top. */
export function keepReadable(layer: number, view: number): void {
  if (rightsToRead("directory") === 0) return;
  allowOwner(view, rightsToRead("directory"));
  for (const { step, dir, name, kind, trail } of tourTree(layer, { temporary: true, unreadable: () => {} })) {
    const rights = rightsToRead(kind);
    if (step === "leave" || rights === 0) continue;
    // A directory is entered before its names are read.
    const stat = step === "enter" ? fs.fstatSync(dir) : lstatAt(dir, name);
    if (stat !== undefined && (stat.mode & rights) !== rights) tryAllow(view, trail, rights);
  }
}

function lstatAt(dir: number, name: string): fs.Stats | undefined {
  return fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
}

/** What is not there any more, or not the owner's to open, stays as it is. */
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

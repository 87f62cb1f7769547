// As root the cell acts as the owner of the project: what it makes belongs to that owner, and what it
// replaces keeps its own.
import fs from "node:fs";
import { fdPath, openChild } from "./paths.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Null leaves it to the system. */
export function ownerOfNew(root: number): Owner | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = fs.fstatSync(root);
  return uid === 0 && gid === 0 ? null : { uid, gid };
}

export function ownerOfReplaced({ uid, gid }: Owner): Owner | null {
  return process.geteuid?.() === 0 ? { uid, gid } : null;
}

/**
 * Gives what was made under a name to its owner. The owner may have put something else of root's there by
 * now: what is not new, or is a file, is not given away.
 */
export function giveNew(dir: number, name: string, { uid, gid }: Owner, began: number): void {
  const fd = openChild(dir, name);
  try {
    const stat = fs.fstatSync(fd);
    const isNew = stat.birthtimeMs >= began - CLOCK_STEP_MS && !stat.isFile();
    // Through the descriptor, so that of a link it is the link itself.
    if (isNew) fs.chownSync(fdPath(fd), uid, gid);
  } finally {
    fs.closeSync(fd);
  }
}

/** Time stamps of files come from a clock that stands still for up to this long. */
const CLOCK_STEP_MS = 10;

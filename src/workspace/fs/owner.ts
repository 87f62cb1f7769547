// As root the cell acts as the owner of the project: new entries belong to that owner, and replaced entries keep
// their own.
import fs from "node:fs";
import { fdPath, openChild } from "./paths.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Null keeps the system's default. */
export function ownerOfNew(root: number): Owner | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = fs.fstatSync(root);
  return uid === 0 && gid === 0 ? null : { uid, gid };
}

export function ownerOfReplaced({ uid, gid }: Owner): Owner | null {
  return process.geteuid?.() === 0 ? { uid, gid } : null;
}

/**
 * Gives a new directory or link to its owner. The owner may have moved another entry of root's to that name
 * meanwhile. So this skips an entry that is not new, or is a file.
 */
export function chownNew(dir: number, name: string, { uid, gid }: Owner, began: number): void {
  const fd = openChild(dir, name);
  try {
    const stat = fs.fstatSync(fd);
    const isNew = stat.birthtimeMs >= began - CLOCK_STEP_MS && !stat.isFile();
    // Through the descriptor: for a link this changes the link itself.
    if (isNew) fs.chownSync(fdPath(fd), uid, gid);
  } finally {
    fs.closeSync(fd);
  }
}

/** The clock that stamps files advances in steps of up to this length. */
const CLOCK_STEP_MS = 10;

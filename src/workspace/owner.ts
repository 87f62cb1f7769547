// As root the cell acts as the owner of the project: what it makes belongs to that owner, and what it
// replaces keeps its own.
import fs from "node:fs";

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

export function ownerOfReplaced({ uid, gid }: fs.Stats): Owner | null {
  return process.geteuid?.() === 0 ? { uid, gid } : null;
}

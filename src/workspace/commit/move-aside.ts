// Nothing in the project is ever overwritten. An entry to be replaced is moved aside into a staging directory, and
// checked there, where nobody can exchange it. If it is not the expected version, somebody edited it meanwhile: it is
// moved back, unless its path is taken by now.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Pieces } from "../fs/cooperative.ts";
import { areOneFile, type FileIdentity, type Fingerprint, stillIs } from "../fs/fingerprint.ts";
import { isThere, pathTo, type Spot } from "../fs/no-follow.ts";
import type { ConflictReason } from "./plan/plan.ts";

export interface Replaced {
  readonly at: Spot;
  readonly aside: Spot;
  readonly expect: Fingerprint;
  /** What was just seen at its path. */
  readonly found: FileIdentity | null;
  readonly tick: () => void;
}

/** `kept`: the entry could not be moved back and is still aside. */
export type Aside = { readonly conflict: ConflictReason; readonly kept: boolean } | null;

/** Null if the entry is aside. After a kill the move continues: an entry that is already aside stays there. */
export function* moveAside({ at, aside, expect, found, tick }: Replaced): Pieces<Aside> {
  if (!isThere(aside)) {
    if (!(yield* stillIs(at, expect, found))) return { conflict: goneOrChanged(at), kept: false };
    if (!tryRename(at, aside)) return { conflict: "removed in the project", kept: false };
    tick();
  }
  if (yield* stillIs(aside, expect)) return null;
  return { conflict: "changed in the project", kept: !returnTo(at, aside, tick) };
}

const goneOrChanged = (at: Spot): ConflictReason =>
  isThere(at) ? "changed in the project" : "removed in the project";

function tryRename(from: Spot, to: Spot): boolean {
  try {
    fs.renameSync(pathTo(from), pathTo(to));
    return true;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR", "ENOENT"]);

/** Whether the entry is at its path again. */
export function returnTo(to: Spot, aside: Spot, tick: () => void): boolean {
  try {
    // Renaming a directory can replace only an empty directory.
    if (fs.lstatSync(pathTo(aside)).isDirectory()) fs.renameSync(pathTo(aside), pathTo(to));
    else enter(aside, to);
    tick();
    return true;
  } catch (error) {
    if (!TAKEN.has(osErrorCode(error) ?? "")) throw error;
    return areOneFile(aside, to);
  }
}

/** Makes a hard link to a file or symbolic link; fails if the name is taken. */
export function enter(from: Spot, to: Spot): void {
  try {
    fs.linkSync(pathTo(from), pathTo(to));
  } catch (error) {
    const isLink = fs.lstatSync(pathTo(from), { throwIfNoEntry: false })?.isSymbolicLink();
    // Some file systems cannot make hard links to symbolic links.
    if (!isLink || !["EPERM", "ENOTSUP"].includes(osErrorCode(error) ?? "")) throw error;
    fs.symlinkSync(fs.readlinkSync(pathTo(from), "buffer"), pathTo(to));
  }
}

// Nothing of the project is ever overwritten. What has to make room is moved aside, into a staging directory,
// and only then looked at: it can't be exchanged any more. If it is not what was expected, somebody edited it
// meanwhile, and it goes back, unless something new stands there by now.
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
  /** What a look has just shown at its place. */
  readonly found: FileIdentity | null;
  readonly tick: () => void;
}

/** Kept aside is what could not go back. */
export type Aside = { readonly conflict: ConflictReason; readonly kept: boolean } | null;

/** Null when it is aside. After a kill it goes on where it was: what is aside already stays there. */
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

/** Whether it stands there again. */
export function returnTo(to: Spot, aside: Spot, tick: () => void): boolean {
  try {
    // Renaming a directory replaces nothing but an empty directory.
    if (fs.lstatSync(pathTo(aside)).isDirectory()) fs.renameSync(pathTo(aside), pathTo(to));
    else enter(aside, to);
    tick();
    return true;
  } catch (error) {
    if (!TAKEN.has(osErrorCode(error) ?? "")) throw error;
    return areOneFile(aside, to);
  }
}

/** Gives a file or link a second name; fails when something is there. */
export function enter(from: Spot, to: Spot): void {
  try {
    fs.linkSync(pathTo(from), pathTo(to));
  } catch (error) {
    const isLink = fs.lstatSync(pathTo(from), { throwIfNoEntry: false })?.isSymbolicLink();
    // Some file systems have no hard links to symbolic ones.
    if (!isLink || !["EPERM", "ENOTSUP"].includes(osErrorCode(error) ?? "")) throw error;
    fs.symlinkSync(fs.readlinkSync(pathTo(from), "buffer"), pathTo(to));
  }
}

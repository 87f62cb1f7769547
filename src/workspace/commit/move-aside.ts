// Nothing in the project is ever overwritten. An entry to be replaced is moved aside into a staging directory, and
// checked there, where nobody can exchange it. If it is not the expected version, somebody edited it meanwhile: it is
// moved back, unless its path is taken by now.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { areOneFile, type Fingerprint, isStillVersion, type UnhashedFingerprint } from "../fs/fingerprint.ts";
import { type EntryRef, entryExists, entryPath } from "../fs/no-follow.ts";
import type { ConflictReason } from "./plan/plan.ts";

export interface MoveAsideOptions {
  readonly at: EntryRef;
  readonly aside: EntryRef;
  readonly expect: Fingerprint;
  /** What was just seen at its path. */
  readonly found: UnhashedFingerprint | null;
  readonly tick: () => void;
}

/** `kept`: the entry could not be moved back and is still aside. */
export type MoveAsideConflict = { readonly conflict: ConflictReason; readonly kept: boolean } | null;

/** Null if the entry is aside. After a kill the move continues: an entry that is already aside stays there. */
export function* moveAside({
  at,
  aside,
  expect,
  found,
  tick,
}: MoveAsideOptions): Cooperative<MoveAsideConflict> {
  if (!entryExists(aside)) {
    if (!(yield* isStillVersion(at, expect, found))) return { conflict: goneOrChanged(at), kept: false };
    if (!tryRename(at, aside)) return { conflict: "removed in the project", kept: false };
    tick();
  }
  if (yield* isStillVersion(aside, expect)) return null;
  return { conflict: "changed in the project", kept: !moveBack(at, aside, tick) };
}

const goneOrChanged = (at: EntryRef): ConflictReason =>
  entryExists(at) ? "changed in the project" : "removed in the project";

function tryRename(from: EntryRef, to: EntryRef): boolean {
  try {
    fs.renameSync(entryPath(from), entryPath(to));
    return true;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR", "ENOENT"]);

/** Whether the entry is at its path again. */
export function moveBack(to: EntryRef, aside: EntryRef, tick: () => void): boolean {
  try {
    // Renaming a directory can replace only an empty directory.
    if (fs.lstatSync(entryPath(aside)).isDirectory()) fs.renameSync(entryPath(aside), entryPath(to));
    else linkInto(aside, to);
    tick();
    return true;
  } catch (error) {
    if (!TAKEN.has(osErrorCode(error) ?? "")) throw error;
    return areOneFile(aside, to);
  }
}

/** Makes a hard link to a file or symbolic link; fails if the name is taken. */
export function linkInto(from: EntryRef, to: EntryRef): void {
  try {
    fs.linkSync(entryPath(from), entryPath(to));
  } catch (error) {
    const isLink = fs.lstatSync(entryPath(from), { throwIfNoEntry: false })?.isSymbolicLink();
    // Some file systems cannot make hard links to symbolic links.
    if (!isLink || !["EPERM", "ENOTSUP"].includes(osErrorCode(error) ?? "")) throw error;
    fs.symlinkSync(fs.readlinkSync(entryPath(from), "buffer"), entryPath(to));
  }
}

// Entries that commits replaced, stored in the state directory as long as the commit.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { copyFile } from "../fs/copy-file.ts";
import { type EntryRef, entryExists, entryPath } from "../fs/no-follow.ts";
import { ownerOfReplaced } from "../fs/owner.ts";
import { type OpenEntry, openChild } from "../fs/paths.ts";
import { openToSync, syncMany } from "../fs/sync.ts";
import { copyTree, makeLink } from "../fs/tree-change.ts";
import { removeTree } from "./staging.ts";

export interface KeptUndo {
  /** Where the entry that the step replaced is stored, if any. */
  spotOf(index: number): EntryRef;
  sync(): void;
  close(): void;
}

export function openKeptUndo(txDir: string): KeptUndo {
  const at = path.join(txDir, "undo");
  fs.mkdirSync(at, { recursive: true, mode: 0o700 });
  const dir = fs.openSync(at, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  return {
    spotOf: (index) => ({ dir, name: String(index) }),
    sync: () => fs.fsyncSync(dir),
    close: () => fs.closeSync(dir),
  };
}

/** Moves the entry that is aside into the store, or copies it across file systems. False if nothing is aside. */
export async function keepUndo(aside: EntryRef, kept: EntryRef): Promise<boolean> {
  try {
    fs.renameSync(entryPath(aside), entryPath(kept));
  } catch (error) {
    const code = osErrorCode(error);
    // A rename across file systems fails with EXDEV even if the source does not exist.
    if (code === "ENOENT" || (code === "EXDEV" && !entryExists(aside))) return false;
    if (code !== "EXDEV") throw error;
    await copyWhole(aside, kept);
  }
  return true;
}

/** Removes the stored name of a file that is in the project again: an edit there would change the stored file too. False if nothing is stored. */
export function dropUndo(kept: EntryRef): boolean {
  const found = fs.lstatSync(entryPath(kept), { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return false;
  fs.unlinkSync(entryPath(kept));
  return true;
}

/** The copy gets its final name when it is complete; a partial copy left by a kill is recreated. */
async function copyWhole(aside: EntryRef, kept: EntryRef): Promise<void> {
  const partial = { dir: kept.dir, name: `${kept.name}.new` };
  if (entryExists(partial) && !removeTree(partial)) fs.unlinkSync(entryPath(partial));
  const fd = openChild(aside.dir, aside.name);
  try {
    if (!(await tryCopy({ fd, stat: fs.fstatSync(fd) }, aside, partial))) return;
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(entryPath(partial), entryPath(kept));
}

/** False for a special file, which has no content. */
async function tryCopy(found: OpenEntry, from: EntryRef, to: EntryRef): Promise<boolean> {
  const { stat } = found;
  const owner = ownerOfReplaced(stat);
  if (stat.isDirectory()) await runCooperatively(copyTree(found, to.dir, to.name, owner));
  else if (stat.isSymbolicLink())
    makeLink(fs.readlinkSync(entryPath(from), "buffer"), to.dir, to.name, owner);
  else if (!stat.isFile()) return false;
  else {
    await runCooperatively(copyFile(found, to, { mode: stat.mode & 0o7777, owner }));
    await syncMany([{ action: "keep", path: to.name, open: () => openToSync(to) }]);
  }
  return true;
}

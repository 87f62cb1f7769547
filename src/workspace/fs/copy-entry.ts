// Copies and removes single entries, in directories that an agent may be writing. All access goes through
// descriptors, so a name that is swapped meanwhile cannot redirect it.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { type Pace, runCooperatively } from "./cooperative.ts";
import type { Cursor } from "./cursor.ts";
import { allowOwner, kindAt } from "./metadata.ts";
import type { EntryRef } from "./no-follow.ts";
import { copyBytes, hasHoles, O_RDONLY, openFile } from "./open-file.ts";
import { ownerOfReplaced } from "./owner.ts";
import { childPath, fdPath, type OpenEntry, openChild, openChildDirectory } from "./paths.ts";
import { makeDirectory, makeLink, removeBelowCooperatively } from "./tree-change.ts";

const { COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
/** Another thread copies a larger file, and shares its blocks (reflink) if possible. */
const MAX_SMALL_BYTES = 64 * 1024;

/** Copies a file or link to an unused name, with mode, times and, as root, owner. Shares blocks if the file system can. Null if the entry has vanished or changed its kind meanwhile. */
export async function copyEntry(from: EntryRef, to: EntryRef): Promise<fs.Stats | null> {
  const fd = tryOpen(from);
  if (fd === null) return null;
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return await copyFile({ fd, stat }, to);
    return stat.isSymbolicLink() ? copyLink(from, stat, to) : null;
  } finally {
    fs.closeSync(fd);
  }
}

async function copyFile(from: OpenEntry, { dir, name }: EntryRef): Promise<fs.Stats> {
  const { mode, atimeMs, mtimeMs } = from.stat;
  const fd = fs.openSync(childPath(dir, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const owner = ownerOfReplaced(from.stat);
    // The owner comes first: the content must never be an executable of root's.
    if (owner !== null) fs.fchownSync(fd, owner.uid, owner.gid);
    const isReadable = await copyContent(from, name, fd);
    fs.fchmodSync(fd, isReadable ? mode & 0o7777 : 0);
    fs.futimesSync(fd, atimeMs / 1000, mtimeMs / 1000);
    return fs.fstatSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** False if the file may not be read. The empty copy takes its place and is unreadable too. */
async function copyContent(from: OpenEntry, name: string, to: number): Promise<boolean> {
  try {
    if (from.stat.size > MAX_SMALL_BYTES && (await tryShare(from, to))) return true;
    const source = openFile(from, name, O_RDONLY);
    try {
      await runCooperatively(copyBytes(source, name, to));
    } finally {
      fs.closeSync(source);
    }
    return true;
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return false;
    throw error;
  }
}

/** False if the file has holes and its blocks cannot be shared: the system's copy would fill the holes. */
async function tryShare({ fd, stat }: OpenEntry, to: number): Promise<boolean> {
  const withHoles = hasHoles(stat);
  try {
    await fs.promises.copyFile(fdPath(fd), fdPath(to), withHoles ? COPYFILE_FICLONE_FORCE : COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (!withHoles || osErrorCode(error) === undefined) throw error;
    return false;
  }
}

function copyLink(from: EntryRef, stat: fs.Stats, to: EntryRef): fs.Stats | null {
  const target = tryReadlink(from);
  if (target === null) return null;
  makeLink(target, to.dir, to.name, ownerOfReplaced(stat));
  const at = childPath(to.dir, to.name);
  fs.lutimesSync(at, stat.atimeMs / 1000, stat.mtimeMs / 1000);
  return fs.lstatSync(at);
}

/** Removes the entry at a name; true if it was a directory. */
export async function clearEntry({ dir, name }: EntryRef, pace: Pace): Promise<boolean> {
  const kind = kindAt(dir, name);
  if (kind === null) return false;
  if (kind === "directory") await clearDirectory({ dir, name }, pace);
  else fs.unlinkSync(childPath(dir, name));
  return kind === "directory";
}

async function clearDirectory({ dir, name }: EntryRef, pace: Pace): Promise<void> {
  const fd = openChildDirectory(dir, name);
  try {
    await clearBelow(fd, pace);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(childPath(dir, name));
}

export async function clearBelow(dir: number, pace: Pace): Promise<void> {
  for (const _ of removeBelowCooperatively(dir, true)) await pace();
}

/** Enters the directory of this name and makes it writable. Creates it if there is none; true then. */
export async function enterForCopy(
  cursor: Cursor,
  name: string,
  model: fs.Stats | null,
  pace: Pace,
): Promise<boolean> {
  const isNew = kindAt(cursor.fd, name) !== "directory";
  if (isNew) {
    await clearEntry({ dir: cursor.fd, name }, pace);
    makeDirectory(cursor.fd, name, model && ownerOfReplaced(model));
  }
  cursor.down(name);
  makeWritable(cursor.fd);
  return isNew;
}

/** Lets the owner fill and empty a read-only directory. */
export function makeWritable(dir: number): void {
  allowOwner(dir, 0o700);
}

/** Root needs no rights. */
export function makeReadable(dir: number): void {
  if (process.geteuid?.() !== 0) allowOwner(dir, 0o500);
}

function tryOpen({ dir, name }: EntryRef): number | null {
  try {
    return openChild(dir, name);
  } catch (error) {
    if (["ENOENT", "EACCES"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}

/** Null if it is no longer a link. */
function tryReadlink({ dir, name }: EntryRef): Buffer | null {
  try {
    return fs.readlinkSync(childPath(dir, name), "buffer");
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}

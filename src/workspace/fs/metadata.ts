import fs from "node:fs";
import { ownerOfReplaced } from "./owner.ts";
import { childPath, fdPath } from "./paths.ts";
import { type FileKind, kindOf } from "./tree.ts";

/** Null if the name does not exist. */
export function kindAt(dir: number, name: string): FileKind | null {
  const stat = fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
  return stat === undefined ? null : (kindOf(stat) ?? "device");
}

/** Sets the mode and times of an open directory to those of another one. */
export function copyModeAndTimes(dir: number, { mode, atimeMs, mtimeMs }: fs.Stats): void {
  fs.chmodSync(fdPath(dir), mode & 0o7777);
  fs.utimesSync(fdPath(dir), atimeMs / 1000, mtimeMs / 1000);
}

/** Like `copyModeAndTimes`, and as root also sets the owner. Only for places where nobody else can swap the directory. */
export function copyMetadata(dir: number, like: fs.Stats): void {
  const owner = ownerOfReplaced(like);
  if (owner !== null) fs.chownSync(fdPath(dir), owner.uid, owner.gid);
  copyModeAndTimes(dir, like);
}

/** Gives the owner all rights to a directory, so that it can be filled. Returns its previous stat. */
export function unlock(dir: number): fs.Stats {
  const stat = fs.fstatSync(dir);
  if ((stat.mode & 0o700) !== 0o700) fs.chmodSync(fdPath(dir), stat.mode | 0o700);
  return stat;
}

/** Adds these rights of the owner to an open entry. */
export function allowOwner(fd: number, rights: number): void {
  const { mode } = fs.fstatSync(fd);
  if ((mode & rights) !== rights) fs.chmodSync(fdPath(fd), (mode & 0o7777) | rights);
}

// The staging directories of a commit, in the project: they hold new content until it is applied, and the entries
// that it replaces.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { createFile } from "../fs/atomic-write.ts";
import { showName } from "../fs/names.ts";
import { type EntryRef, inDirectory } from "../fs/no-follow.ts";
import { childPath, fdPath, openChildDirectory, type Root } from "../fs/paths.ts";
import { syncDirectory } from "../fs/sync.ts";
import { removeBelow } from "../fs/tree-change.ts";
import type { StagingDir, StagingDirs } from "./staging-dirs.ts";

export interface Staging {
  /** The open directory for each place. */
  readonly fds: readonly number[];
  /** Where a step's new content is. */
  fresh(index: number): EntryRef;
  /** Where the replaced or deleted entry is moved. */
  aside(index: number): EntryRef;
  close(): void;
}

export function makeStaging(project: Root, places: readonly StagingDir[]): void {
  for (const { directory, name } of places) {
    inHolder(project, directory, (dir) => {
      fs.mkdirSync(childPath(dir, name), 0o700);
      syncDirectory(fdPath(dir));
    });
  }
}

/** A descriptor that no directory ever has: lookups find nothing. */
const NOWHERE = -1;

/** Opens the staging directories. One that somebody, or a finished commit, removed is `NOWHERE`. */
export function openStaging(project: Root, { places, placeOf }: StagingDirs): Staging {
  const fds: number[] = [];
  const ref = (index: number, name: string): EntryRef => ({
    dir: fds[placeOf[index] ?? NOWHERE] ?? NOWHERE,
    name: `${name}-${index}`,
  });
  const close = () => {
    for (const fd of fds.splice(0)) if (fd !== NOWHERE) fs.closeSync(fd);
  };
  try {
    for (const { directory, name } of places) {
      fds.push(inHolder(project, directory, (dir) => tryOpenOwn(dir, name)) ?? NOWHERE);
    }
    return { fds, fresh: (index) => ref(index, "new"), aside: (index) => ref(index, "old"), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Null if another directory is in its place: anybody who may write to the parent could have put it there. */
function tryOpenOwn(dir: number, name: string): number | null {
  const fd = tryOpenDirectory(dir, name);
  if (fd === null) return null;
  const { uid, mode } = fs.fstatSync(fd);
  if (uid === process.geteuid!() && (mode & 0o777) === 0o700) return fd;
  fs.closeSync(fd);
  return null;
}

function inHolder<T>(project: Root, directory: string, work: (dir: number) => T): T {
  return inDirectory(project, directory, (dir) => {
    if (dir === null) throw directoryGone(directory);
    return work(dir);
  });
}

function directoryGone(directory: string): HotcellError {
  const message = `Could not go on with the commit: the staging directory in "${showName(directory)}" is missing. Mount that file system or restore the directory.`;
  return new HotcellError("WORKSPACE_UNUSABLE", message, { path: directory });
}

/** Refuses a file system on which an entry that was moved aside could not be put back. */
export function checkLinks(dir: number): void {
  createFile(childPath(dir, "probe"), { mode: 0o600, owner: null }, () => {});
  try {
    fs.linkSync(childPath(dir, "probe"), childPath(dir, "probe-link"));
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(osErrorCode(error) ?? ""))
      throw error;
    const message =
      "Could not commit: the project's file system has no hard links. Without them, a concurrent edit could be lost. Copy the project to another file system.";
    throw new HotcellError("NOT_SUPPORTED", message);
  }
}

/** False if none of them existed. */
export function removeStaging(project: Root, places: readonly StagingDir[]): boolean {
  const removed = places.map(({ directory, name }) =>
    inDirectory(project, directory, (dir) => dir !== null && removeTree({ dir, name })),
  );
  return removed.includes(true);
}

/** False if there is no such directory. */
export function removeTree({ dir, name }: EntryRef): boolean {
  const fd = tryOpenDirectory(dir, name);
  if (fd === null) return false;
  try {
    removeBelow(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(childPath(dir, name));
  syncDirectory(fdPath(dir));
  return true;
}

function tryOpenDirectory(dir: number, name: string): number | null {
  try {
    return openChildDirectory(dir, name);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}

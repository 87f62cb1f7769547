// Where a commit has its staging directories: links and renames work only within one file system. There is one at the
// project's top, and one for each mount or subvolume in it that the commit changes.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { listMounts } from "../fs/mountinfo.ts";
import { inDirectory } from "../fs/no-follow.ts";
import { parentOf } from "../fs/path-text.ts";
import { fdPath, type Root, TEMP_PREFIX } from "../fs/paths.ts";
import type { CommitStep } from "./plan/commit-step.ts";

/** A directory of hotcell's own in the project. */
export interface StagingDir {
  readonly directory: string;
  readonly name: string;
}

export interface StagingDirs {
  readonly places: readonly StagingDir[];
  /** The index of each step's place. */
  readonly placeOf: readonly number[];
}

export function chooseStagingDirs(project: Root, steps: readonly CommitStep[]): StagingDirs {
  const name = `${TEMP_PREFIX}commit-${randomBytes(8).toString("hex")}`;
  const holderOf = createHolders(project);
  const directories = steps.map(({ path, expect }) => holderOf(parentOf(path), expect?.dev));
  const chosen = [...new Set(directories)];
  const indexes = new Map(chosen.map((directory, index) => [directory, index]));
  return {
    places: chosen.map((directory) => ({ directory, name })),
    placeOf: directories.map((directory) => indexes.get(directory)!),
  };
}

interface Found {
  readonly device: number;
  /** The topmost writable directory on its file system: no commit removes it, because its parent cannot be changed. */
  readonly topmost: string | null;
  /** The directory itself, or its nearest existing parent. */
  readonly present: string;
}

/** Maps a directory, with the device of a file in it if known, to the one that holds its staging directory. */
function createHolders(project: Root): (directory: string, device?: string) => string {
  const mounts = new Set(listMounts(project.path));
  const known = new Map<string, Found>();
  const { dev: topDevice } = fs.fstatSync(project.fd);
  const mayBeTop = mounts.size === 0 && mayWrite(project.fd);
  /** Without mounts no path leads back from another device: then one check covers all directories on the path. */
  const isAtTop = (directory: string): boolean =>
    mayBeTop && inDirectory(project, directory, (dir) => dir !== null && fs.fstatSync(dir).dev === topDevice);
  const find = (directory: string): Found => {
    if (isAtTop(directory)) return { device: topDevice, topmost: "", present: directory };
    const above = directory === "" ? null : lookAt(parentOf(directory));
    return inDirectory(project, directory, (dir) => {
      if (dir === null) return above!;
      const { dev: device } = fs.fstatSync(dir);
      // Links and renames cross neither mounts of one device nor devices within one mount (subvolumes).
      const isSame = above?.device === device && !mounts.has(directory);
      const topmost = (isSame ? above.topmost : null) ?? (mayWrite(dir) ? directory : null);
      return { device, topmost, present: directory };
    });
  };
  const lookAt = (directory: string): Found => {
    if (!known.has(directory)) known.set(directory, find(directory));
    return known.get(directory)!;
  };
  return (directory, device) => {
    if (mayBeTop && device === String(topDevice)) return "";
    const { topmost, present } = lookAt(directory);
    return topmost ?? present;
  };
}

function mayWrite(fd: number): boolean {
  try {
    fs.accessSync(fdPath(fd), fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

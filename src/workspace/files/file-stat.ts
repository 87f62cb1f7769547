import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { childPath } from "../fs/paths.ts";
import { kindOf } from "../fs/tree.ts";
import type { DirectoryEntry, FileStat } from "./workspace-fs.ts";

export function statOf(stat: fs.Stats): FileStat {
  const { size, mode, mtimeMs, nlink } = stat;
  return { kind: kindOf(stat) ?? "device", size, mode: mode & 0o7777, modifiedMs: mtimeMs, links: nlink };
}

/** Empty if the name has vanished: the directory may change during the listing. */
export function entryOf(dir: number, name: string): DirectoryEntry[] {
  try {
    const { kind, size, mode, modifiedMs, links } = statOf(fs.lstatSync(childPath(dir, name)));
    return [{ name, kind, size, mode, modifiedMs, links }];
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

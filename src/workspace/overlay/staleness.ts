// Checks whether the project's directories have changed: each directory once, and without following links.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { parentOf } from "../fs/path-text.ts";
import { childPath, type Root } from "../fs/paths.ts";

export interface StalenessCheck {
  /** Checks the directories above a path, as the path is written. */
  at(path: string): void;
  /** Every directory must be checked again. */
  forget(): void;
}

export function createStalenessCheck(project: Root, onLook: (changedMs: number) => void): StalenessCheck {
  // By path: whether it is a directory, reached without a link.
  const checked = new Map<string, boolean>();

  const check = (directory: string): boolean => {
    const known = checked.get(directory);
    if (known !== undefined) return known;
    const stat = directory === "" || check(parentOf(directory)) ? tryStat(project, directory) : null;
    if (stat !== null) onLook(stat.ctimeMs);
    const isDirectory = stat?.isDirectory() ?? false;
    checked.set(directory, isDirectory);
    return isDirectory;
  };

  return {
    at(given) {
      // The path gate refuses a path that is too long, or a walk has checked the directories above it.
      if (given.length > LIMITS.maxPathBytes) return;
      if (!checked.has(parentOf(given))) check(parentOf(relativeTo(project, given)));
    },
    forget: () => checked.clear(),
  };
}

/** Null if the directory does not exist or cannot be reached. */
function tryStat(project: Root, directory: string): fs.Stats | null {
  try {
    if (directory === "") return fs.fstatSync(project.fd);
    return fs.lstatSync(childPath(project.fd, directory), { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The path relative to the project; the project itself for a path outside of it. */
function relativeTo(project: Root, given: string): string {
  const normal = path.posix.normalize(given);
  const inside = normal.startsWith(`${project.path}/`) ? normal.slice(project.path.length + 1) : normal;
  return inside.startsWith("/") || inside.startsWith("../") ? "" : inside;
}

// Looking whether the project's directories have changed: each of them once, and never through a link.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { parentOf } from "../fs/path-text.ts";
import { childPath, type Root } from "../fs/paths.ts";

export interface ProjectLooks {
  /** Looks at the directories that hold a path, as it is written. */
  at(path: string): void;
  /** All are to be looked at again. */
  forget(): void;
}

export function createProjectLooks(project: Root, onLook: (changedMs: number) => void): ProjectLooks {
  // Whether it is a directory, with no link on the way.
  const looked = new Map<string, boolean>();

  const look = (directory: string): boolean => {
    const known = looked.get(directory);
    if (known !== undefined) return known;
    const stat = directory === "" || look(parentOf(directory)) ? tryLook(project, directory) : null;
    if (stat !== null) onLook(stat.ctimeMs);
    const isDirectory = stat?.isDirectory() ?? false;
    looked.set(directory, isDirectory);
    return isDirectory;
  };

  return {
    at(given) {
      // What is too long is refused by the gate, or below what was looked at by a walk.
      if (given.length > LIMITS.maxPathBytes) return;
      if (!looked.has(parentOf(given))) look(parentOf(insideOf(project, given)));
    },
    forget: () => looked.clear(),
  };
}

/** Null when it is not there, or can't be reached. */
function tryLook(project: Root, directory: string): fs.Stats | null {
  try {
    if (directory === "") return fs.fstatSync(project.fd);
    return fs.lstatSync(childPath(project.fd, directory), { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** Relative to the project; the project itself for what is outside of it. */
function insideOf(project: Root, given: string): string {
  const normal = path.posix.normalize(given);
  const inside = normal.startsWith(`${project.path}/`) ? normal.slice(project.path.length + 1) : normal;
  return inside.startsWith("/") || inside.startsWith("../") ? "" : inside;
}

// The directories of the project that a session has changed something in, as they are now.
import type fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { parentOf } from "../commit/exactly.ts";
import type { TreeReader } from "../diff/tree-reader.ts";
import type { Known } from "./bases.ts";
import type { Base } from "./layer-notes.ts";

/** Null where there is none any more; without those that the system does not let us look at. */
export type ProjectDirectories = ReadonlyMap<string, fs.Stats | null>;

/** Where they are, in order. */
export function directoriesIn(known: Known): string[] {
  const wanted = new Set([...known.moved].map(parentOf));
  for (const [at, { base }] of known.bases) {
    if (isDirectory(base)) wanted.add(at);
    if (isOwn(at, known)) wanted.add(parentOf(at));
  }
  return [...wanted].sort();
}

/** Each is gone to once. */
export function lookAtDirectories(directories: readonly string[], project: TreeReader): ProjectDirectories {
  const found = new Map<string, fs.Stats | null>();
  for (const at of directories) {
    const stat = tryReach(() => project.stat(at));
    if (stat !== undefined) found.set(at, stat?.isDirectory() ? stat : null);
  }
  return found;
}

/** What the session alone has made, and has maybe removed again, in a directory that is not its own. */
export function isOwn(at: string, { bases, moved }: Known): boolean {
  const isNull = (path: string) => bases.get(path)?.base === null;
  return isNull(at) && !moved.has(at) && !isNull(parentOf(at));
}

export function isDirectory(base: Base | undefined): boolean {
  return base !== "unknown" && base?.kind === "directory";
}

/** Null where the way there is gone, undefined where it is closed. */
export function tryReach<T>(look: () => T): T | null | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    if (error.code === "NOT_FOUND" || error.code === "NOT_A_DIRECTORY") return null;
    if (error.details.errno === "EACCES") return undefined;
    throw error;
  }
}

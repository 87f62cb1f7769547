import fs from "node:fs";
import path from "node:path";
import type { Cooperative } from "../fs/cooperative.ts";
import { kindAt } from "../fs/metadata.ts";
import { atExactPath } from "../fs/no-follow.ts";
import { isTooDeep, joinPath } from "../fs/path-text.ts";
import { O_PATH, type Root } from "../fs/paths.ts";
import { type NamedKind, walkTree } from "../fs/tree.ts";
import { createMemoryBudget } from "./memory-budget.ts";
import { type Layer, type Stack, sessionDir } from "./record.ts";
import { statPath } from "./stat-of.ts";

export function layerDir(stateDir: string, { session, name }: Pick<Layer, "session" | "name">): string {
  return path.join(sessionDir(stateDir, session), name);
}

/** Opens a layer as a root for the work. */
export function withLayer<T>(layer: Layer, stateDir: string, work: (root: Root) => T): T {
  const at = layerDir(stateDir, layer);
  const fd = fs.openSync(at, O_PATH | fs.constants.O_DIRECTORY);
  try {
    return work({ fd, path: at, given: at });
  } finally {
    fs.closeSync(fd);
  }
}

export interface LayerDirectory {
  readonly directory: string;
  readonly names: readonly NamedKind[];
  readonly stat: fs.Stats;
}

/** The directories of a layer, parents before children. Unreadable ones and those that are too deep count as empty. Throws if they would not fit in memory. */
export function* directoriesIn(layer: string): Cooperative<LayerDirectory[]> {
  const memory = createMemoryBudget();
  const start = fs.openSync(layer, O_PATH | fs.constants.O_DIRECTORY);
  try {
    const top = { directory: "", names: [] as NamedKind[], stat: fs.fstatSync(start) };
    const trail = [top];
    const found = [top];
    const pathOf = (name: string) => joinPath(trail.at(-1)!.directory, name);
    const enters = (names: readonly string[]) => !isTooDeep(pathOf(names.at(-1)!));
    for (const { step, name, kind, stat } of walkTree(start, { enters, unreadable: () => {} })) {
      yield;
      if (step === "leave") {
        trail.pop();
        continue;
      }
      const { directory, names } = trail.at(-1)!;
      memory.take(directory.length + name.length);
      names.push({ name, kind });
      if (step !== "enter") continue;
      const entered = { directory: pathOf(name), names: [], stat: stat! };
      trail.push(entered);
      found.push(entered);
    }
    return found;
  } finally {
    fs.closeSync(start);
  }
}

/** The paths in a layer, parents before children, including directories that are only parents. */
export function* pathsIn(layer: Layer, stateDir: string): Cooperative<string[]> {
  const paths: string[] = [];
  for (const { directory, names } of yield* directoriesIn(layerDir(stateDir, layer)))
    for (const { name } of names) paths.push(joinPath(directory, name));
  return paths;
}

export interface ChangedPaths {
  /** Without directories that are only parents of others. */
  readonly paths: readonly string[];
  /** Those of them that are directories too deep to list what changed below them. */
  readonly unlisted: readonly string[];
}

/** The paths that a layer changed. */
export function* changedPathsIn(layer: Layer, stateDir: string): Cooperative<ChangedPaths> {
  const paths = new Set<string>();
  const unlisted: string[] = [];
  for (const { directory, names } of yield* directoriesIn(layerDir(stateDir, layer))) {
    if (names.length > 0) paths.delete(directory);
    for (const { name, kind } of names) {
      const at = joinPath(directory, name);
      paths.add(at);
      if (kind === "directory" && isTooDeep(at)) unlisted.push(at);
    }
  }
  return { paths: [...paths].sort(), unlisted };
}

/** Whether the layer itself has an entry at a path; a whiteout counts. */
export function hasEntry(layer: Layer, at: string, stateDir: string): boolean {
  return withLayer(layer, stateDir, (root) =>
    atExactPath(root, at, (ref) => typeof ref !== "string" && kindAt(ref.dir, ref.name) !== null),
  );
}

/** Whether the topmost layer with an entry at the path has no directory there. */
export function isDeletedIn(stack: Stack, directory: string, stateDir: string): boolean {
  const holder = stack.findLast((layer) => hasEntry(layer, directory, stateDir));
  return (
    holder !== undefined && !withLayer(holder, stateDir, (root) => statPath(root, directory))?.isDirectory()
  );
}

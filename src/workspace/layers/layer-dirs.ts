import fs from "node:fs";
import path from "node:path";
import type { Protection } from "../../policy/protected.ts";
import { kindAt } from "../fs/metadata.ts";
import { atExactly } from "../fs/no-follow.ts";
import { O_PATH, type Root } from "../fs/paths.ts";
import { tourTree } from "../fs/tree.ts";
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

/** The paths in these layers, parents before children, including directories that are only parents; without the content of unreadable directories. */
export function* pathsIn(stack: Stack, stateDir: string): Generator<string, void, void> {
  for (const layer of stack) {
    const fd = fs.openSync(layerDir(stateDir, layer), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    try {
      for (const { step, trail } of tourTree(fd, { unreadable: () => {} }))
        if (step !== "leave") yield trail.join("/");
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** The paths that a layer changed, without directories that are only parents of others. */
export function changedIn(layer: Layer, stateDir: string): string[] {
  const paths = new Set(pathsIn([layer], stateDir));
  for (const at of [...paths]) paths.delete(at.slice(0, Math.max(at.lastIndexOf("/"), 0)));
  return [...paths].sort();
}

/** Whether the layer itself has an entry at a path; a whiteout counts. */
export function hasEntry(layer: Layer, at: string, stateDir: string): boolean {
  return withLayer(layer, stateDir, (root) =>
    atExactly(root, at, (spot) => typeof spot !== "string" && kindAt(spot.dir, spot.name) !== null),
  );
}

/** Whether the topmost layer with an entry at the path has no directory there. */
export function isGoneIn(stack: Stack, directory: string, stateDir: string): boolean {
  const holder = stack.findLast((layer) => hasEntry(layer, directory, stateDir));
  return (
    holder !== undefined && !withLayer(holder, stateDir, (root) => statPath(root, directory))?.isDirectory()
  );
}

/** Whether layers have secrets, which diffs leave out: they stay in the session when everything else is committed. */
export function holdsSecrets(stack: Stack, { stateDir, protectionOf }: SecretsPlace): boolean {
  const isSecret = (path: string) => protectionOf(path)?.read === "refuse";
  for (const at of pathsIn(stack, stateDir)) if (isSecret(at) || isSecret(`${at}/`)) return true;
  return false;
}

interface SecretsPlace {
  readonly stateDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

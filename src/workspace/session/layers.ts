import fs from "node:fs";
import path from "node:path";
import { atExactly } from "../commit/exactly.ts";
import type { TouchedDirectory } from "../diff/changes.ts";
import {
  type LayerTour,
  type Layer as OpenLayer,
  type TouredDirectory,
  touchedByLayers,
} from "../diff/touched.ts";
import { kindAt } from "../overlay/alike.ts";
import { O_PATH, type Root } from "../paths.ts";
import { type Layer, type Stack, sessionDir } from "./record.ts";

export function layerDir(stateDir: string, { session, name }: Pick<Layer, "session" | "name">): string {
  return path.join(sessionDir(stateDir, session), name);
}

/** Works in a layer as in any other root. */
export function withLayer<T>(layer: Layer, stateDir: string, work: (root: Root) => T): T {
  const at = layerDir(stateDir, layer);
  const fd = fs.openSync(at, O_PATH | fs.constants.O_DIRECTORY);
  try {
    return work({ fd, path: at, given: at });
  } finally {
    fs.closeSync(fd);
  }
}

export interface TouchedOptions extends LayerTour {
  /** All that a layer has; null where it has to be looked for. */
  readonly toured?: (layer: Layer) => readonly TouredDirectory[] | null;
}

/** What these layers have, as a diff takes it. A directory that can't be read ends it with an error, unless told. */
export function* touchedBy(
  stack: Stack,
  stateDir: string,
  { toured = () => null, ...options }: TouchedOptions = {},
): Generator<TouchedDirectory, void, void> {
  const layers: OpenLayer[] = [];
  try {
    for (const layer of stack) {
      const fd = fs.openSync(layerDir(stateDir, layer), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
      layers.push({ fd, call: layer.call?.id ?? null, toured: toured(layer) });
    }
    yield* touchedByLayers(layers, options);
  } finally {
    for (const { fd } of layers) fs.closeSync(fd);
  }
}

/** The paths that these layers have, directories on the way among them, parents before children; without what is in directories that can't be read. */
export function* pathsIn(stack: Stack, stateDir: string): Generator<string, void, void> {
  for (const { directory, names } of touchedBy(stack, stateDir, { unreadable: () => {} })) {
    for (const name of names.keys()) yield directory === "" ? name : `${directory}/${name}`;
  }
}

/** The paths that a layer changed: without the directories that are only on the way to others. */
export function changedIn(layer: Layer, stateDir: string): string[] {
  const paths = new Set(pathsIn([layer], stateDir));
  for (const at of [...paths]) paths.delete(at.slice(0, Math.max(at.lastIndexOf("/"), 0)));
  return [...paths].sort();
}

/** Whether a layer has something at a path itself; a whiteout is something. */
export function hasEntry(layer: Layer, at: string, stateDir: string): boolean {
  return withLayer(layer, stateDir, (root) =>
    atExactly(root, at, (spot) => typeof spot !== "string" && kindAt(spot.dir, spot.name) !== null),
  );
}

/** Whether the topmost layer that knows of a directory says that there is none. The layers come topmost first. */
export function isGoneIn(layers: Stack, directory: string, stateDir: string): boolean {
  for (const layer of layers) {
    const kind = withLayer(layer, stateDir, (root) =>
      atExactly(root, directory, (spot) => (typeof spot === "string" ? spot : kindAt(spot.dir, spot.name))),
    );
    if (kind !== null && kind !== "missing") return kind !== "directory";
  }
  return false;
}

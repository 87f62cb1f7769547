import fs from "node:fs";
import { explaining } from "../os-error.ts";
import { type NamedKind, type TourOptions, tourTree } from "../tree.ts";
import type { TouchedDirectory } from "./changes.ts";
import { joinPath } from "./path-names.ts";

export interface Layer {
  /** Open directory. */
  readonly fd: number;
  /** The call whose changes it holds. */
  readonly call: string | null;
  /** All that it has, parents before children, where that is known. */
  readonly toured?: readonly TouredDirectory[] | null;
}

export interface TouredDirectory {
  readonly directory: string;
  readonly names: readonly NamedKind[];
  readonly stat: fs.Stats;
}

export type LayerTour = Pick<TourOptions, "unreadable" | "namesIn">;

/** What the layers have at one name. A whiteout is a name like any other. */
interface LayeredName {
  readonly calls: Set<string>;
  /** Null when no layer has a directory there; empty when one has an empty directory. */
  below: Map<string, LayeredName> | null;
  tellsUnion: boolean;
  /** A layer has something else there. */
  isOther: boolean;
  isAnew: boolean;
}

/** Unites layers, oldest first. */
export function* touchedByLayers(
  layers: readonly Layer[],
  options: LayerTour = {},
): Generator<TouchedDirectory, void, void> {
  const root = layeredName();
  for (const layer of layers) {
    if (layer.toured) addToured(root, layer.toured, layer.call);
    else addLayer(root, layer, options);
  }
  const pending = [{ directory: "", node: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, node } = next;
    const below = node.below ?? new Map<string, LayeredName>();
    const names = new Map(Array.from(below, ([name, { calls }]) => [name, [...calls]]));
    yield { directory, names, tellsUnion: node.tellsUnion, isAnew: node.isAnew };
    for (const [name, child] of below) {
      if (child.below !== null) pending.push({ directory: joinPath(directory, name), node: child });
    }
  }
}

function addLayer(root: LayeredName, { fd, call }: Layer, options: LayerTour): void {
  const levels = [enterNode(root, fs.fstatSync(fd))];
  for (const { step, name, stat } of namedTour(fd, options)) {
    if (step === "leave") {
      levels.pop();
      continue;
    }
    const node = noteName(levels.at(-1)!, name, call);
    if (step === "enter") levels.push(enterNode(node, stat!));
    else node.isOther = true;
  }
}

function addToured(root: LayeredName, toured: readonly TouredDirectory[], call: string | null): void {
  const nodes = new Map([["", root]]);
  for (const { directory, names, stat } of toured) {
    const level = enterNode(nodes.get(directory)!, stat);
    for (const { name, kind } of names) {
      const node = noteName(level, name, call);
      if (kind === "directory") nodes.set(joinPath(directory, name), node);
      else node.isOther = true;
    }
  }
}

function noteName(level: Map<string, LayeredName>, name: string, call: string | null): LayeredName {
  const node = level.get(name) ?? layeredName();
  level.set(name, node);
  if (call !== null) node.calls.add(call);
  return node;
}

const layeredName = (): LayeredName => ({
  calls: new Set(),
  below: null,
  tellsUnion: false,
  isOther: false,
  isAnew: false,
});

function enterNode(node: LayeredName, { nlink }: fs.Stats): Map<string, LayeredName> {
  node.isAnew ||= node.isOther;
  node.tellsUnion = node.below === null && nlink > 1;
  node.below ??= new Map();
  return node.below;
}

/** A tour whose errors name the path. */
function* namedTour(fd: number, options: LayerTour): ReturnType<typeof tourTree> {
  let trail: readonly string[] = [];
  try {
    for (const step of tourTree(fd, options)) {
      trail = step.trail;
      yield step;
    }
  } catch (error) {
    explaining("list", trail.join("/") || ".", () => {
      throw error;
    });
  }
}

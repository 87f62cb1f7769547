import { explaining } from "../os-error.ts";
import { type TourOptions, tourTree } from "../tree.ts";
import type { TouchedDirectory } from "./changes.ts";
import { joinPath } from "./path-names.ts";

export interface Layer {
  /** Open directory. */
  readonly fd: number;
  /** The call whose changes it holds. */
  readonly call: string | null;
}

/** What the layers have at one name. A whiteout is a name like any other. */
interface LayeredName {
  readonly calls: Set<string>;
  /** Null when no layer has a directory there; empty when one has an empty directory. */
  below: Map<string, LayeredName> | null;
}

/** Unites layers, oldest first. */
export function* touchedByLayers(
  layers: readonly Layer[],
  options: Pick<TourOptions, "unreadable"> = {},
): Generator<TouchedDirectory, void, void> {
  const root = new Map<string, LayeredName>();
  for (const layer of layers) addLayer(root, layer, options);
  const pending = [{ directory: "", below: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, below } = next;
    yield { directory, names: new Map(Array.from(below, ([name, { calls }]) => [name, [...calls]])) };
    for (const [name, node] of below) {
      if (node.below === null) continue;
      pending.push({ directory: joinPath(directory, name), below: node.below });
    }
  }
}

function addLayer(
  root: Map<string, LayeredName>,
  { fd, call }: Layer,
  options: Pick<TourOptions, "unreadable">,
): void {
  const levels = [root];
  for (const { step, name } of namedTour(fd, options)) {
    if (step === "leave") {
      levels.pop();
      continue;
    }
    const level = levels.at(-1)!;
    const node = level.get(name) ?? { calls: new Set(), below: null };
    level.set(name, node);
    if (call !== null) node.calls.add(call);
    if (step !== "enter") continue;
    node.below ??= new Map();
    levels.push(node.below);
  }
}

/** A tour whose errors name the path. */
function* namedTour(fd: number, options: Pick<TourOptions, "unreadable">): ReturnType<typeof tourTree> {
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

// Finds the directories of the live layer that must be scanned again: those in which an entry was added, removed or
// replaced since the last scan, in the layer or in the project. The cache belongs to one process; another process
// scans everything.
import fs from "node:fs";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { joinPath, splitPath } from "../../fs/path-text.ts";
import { O_PATH, type Root } from "../../fs/paths.ts";
import { type NamedKind, tourTree } from "../../fs/tree.ts";
import { openTreeReader, type TreeReader } from "../../fs/tree-reader.ts";
import { layerDir } from "../../layers/layer-dirs.ts";
import { type Layer, sessionDir } from "../../layers/record.ts";

export interface LayerDirectory {
  readonly directory: string;
  readonly names: readonly NamedKind[];
  /** Whether the project has a directory at this path. */
  readonly isInProject: boolean;
}

export interface LayerScan {
  /** Parents before children, without paths that are too long to be committed. */
  readonly changed: readonly LayerDirectory[];
  /** Marks these directories as scanned. */
  done(): void;
}

export interface LayerScanCache {
  look(live: Layer, stateDir: string, project: Root): LayerScan;
  /** Must be called when something else changed the layer's notes. */
  forget(): void;
}

export function createLayerScanCache(): LayerScanCache {
  let layer = "";
  let stamps: ReadonlyMap<string, string> = new Map();
  return {
    look(live, stateDir, project) {
      const known = live.name === layer ? stamps : new Map();
      const startMs = fileClock(sessionDir(stateDir, live.session));
      const found = withStamps(directoriesIn(layerDir(stateDir, live)), project);
      return {
        changed: found.filter(({ directory, stamp }) => known.get(directory) !== stamp),
        done() {
          layer = live.name;
          // A directory as new as the clock may change again within the same tick.
          const stable = found.filter(({ changedMs }) => changedMs < startMs);
          stamps = new Map(stable.map(({ directory, stamp }) => [directory, stamp]));
        },
      };
    },
    forget() {
      stamps = new Map();
    },
  };
}

interface Stamped extends LayerDirectory {
  readonly stamp: string;
  readonly changedMs: number;
}

interface VisitedDirectory {
  readonly directory: string;
  readonly names: NamedKind[];
  readonly stat: fs.Stats;
}

/** Leaves out paths that are too long to be committed. */
function directoriesIn(layer: string): VisitedDirectory[] {
  const start = fs.openSync(layer, O_PATH | fs.constants.O_DIRECTORY);
  try {
    const trail: VisitedDirectory[] = [{ directory: "", names: [], stat: fs.fstatSync(start) }];
    const directories = [...trail];
    const enters = () => trail.at(-1)!.directory.length <= LIMITS.maxPathBytes;
    for (const { step, name, kind, stat } of tourTree(start, { enters, unreadable: () => {} })) {
      if (step === "leave") {
        trail.pop();
        continue;
      }
      const { directory, names } = trail.at(-1)!;
      names.push({ name, kind });
      if (step !== "enter") continue;
      const entered = { directory: joinPath(directory, name), names: [], stat: stat! };
      trail.push(entered);
      directories.push(entered);
    }
    return directories;
  } finally {
    fs.closeSync(start);
  }
}

function withStamps(visited: readonly VisitedDirectory[], project: Root): Stamped[] {
  const tree = openTreeReader(project);
  const directories = new Set<string>();
  try {
    return visited.map(({ directory, names, stat }) => {
      const isReachable = directory === "" || directories.has(splitPath(directory).directory);
      const real = isReachable ? tryStat(tree, directory) : null;
      if (real !== null) directories.add(directory);
      return {
        directory,
        names,
        isInProject: real !== null,
        stamp: `${stampOf(stat)} ${real && stampOf(real)}`,
        changedMs: Math.max(stat.ctimeMs, real?.ctimeMs ?? 0),
      };
    });
  } finally {
    tree.close();
  }
}

const stampOf = ({ dev, ino, ctimeMs }: fs.Stats): string => `${dev}:${ino}:${ctimeMs}`;

/** Null if the project has no such directory, or it is unreachable. */
function tryStat(tree: TreeReader, directory: string): fs.Stats | null {
  try {
    const stat = tree.stat(directory);
    return stat?.isDirectory() ? stat : null;
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

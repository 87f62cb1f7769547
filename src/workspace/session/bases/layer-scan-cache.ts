// Finds the directories of the live layer that must be scanned again: those in which an entry was added, removed or
// replaced since the last scan, in the layer or in the project. The cache belongs to one process; another process
// scans everything.
import type fs from "node:fs";
import { HotcellError } from "../../../core/errors.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { parentOf } from "../../fs/path-text.ts";
import type { Root } from "../../fs/paths.ts";
import { openTreeReader, type TreeReader } from "../../fs/tree-reader.ts";
import { directoriesIn, type LayerDirectory, layerDir } from "../../layers/layer-dirs.ts";
import { type Layer, sessionDir } from "../../layers/record.ts";

export interface ScannedDirectory extends LayerDirectory {
  /** Whether the project has a directory at this path. */
  readonly isInProject: boolean;
}

export interface LayerScan {
  /** Parents before children. */
  readonly changed: readonly ScannedDirectory[];
  /** Marks these directories as scanned. */
  done(): void;
}

export interface LayerScanCache {
  scan(live: Layer, stateDir: string, project: Root): Cooperative<LayerScan>;
  /** Must be called when something else changed the layer's notes. */
  forget(): void;
}

export function createLayerScanCache(): LayerScanCache {
  let layer = "";
  let stamps: ReadonlyMap<string, string> = new Map();
  return {
    *scan(live, stateDir, project) {
      const known = live.name === layer ? stamps : new Map();
      const startMs = fileClock(sessionDir(stateDir, live.session));
      const visited = yield* directoriesIn(layerDir(stateDir, live));
      const found = yield* withStamps(visited, project);
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

interface Stamped extends ScannedDirectory {
  readonly stamp: string;
  readonly changedMs: number;
}

function* withStamps(visited: readonly LayerDirectory[], project: Root): Cooperative<Stamped[]> {
  const tree = openTreeReader(project);
  const directories = new Set<string>();
  try {
    const stamped: Stamped[] = [];
    for (const visit of visited) {
      yield;
      const { directory, stat } = visit;
      const isReachable = directory === "" || directories.has(parentOf(directory));
      const real = isReachable ? tryStat(tree, directory) : null;
      if (real !== null) directories.add(directory);
      const stamp = `${stampOf(stat)} ${real && stampOf(real)}`;
      const changedMs = Math.max(stat.ctimeMs, real?.ctimeMs ?? 0);
      stamped.push({ ...visit, isInProject: real !== null, stamp, changedMs });
    }
    return stamped;
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

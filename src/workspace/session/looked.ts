// Which directories of the live layer have to be looked at again: those in which a name came, went or was
// replaced since the last time, in the layer or in the project. Only this process knows; another one looks at all.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { joinPath, splitPath } from "../diff/path-names.ts";
import type { TouredDirectory } from "../diff/touched.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import { fileClock } from "../file-clock.ts";
import { O_PATH, type Root } from "../paths.ts";
import { type NamedKind, type NamesIn, readNames, tourTree } from "../tree.ts";
import { layerDir } from "./layers.ts";
import { type Layer, sessionDir } from "./record.ts";

export interface LayerDirectory {
  readonly directory: string;
  readonly names: readonly NamedKind[];
  /** Whether the project has a directory there. */
  readonly isInProject: boolean;
}

export interface Look {
  /** Parents before children. Without what has so long a path that it is never committed. */
  readonly changed: readonly LayerDirectory[];
  /** They need not be looked at again. */
  done(): void;
}

export interface Looked {
  look(live: Layer, stateDir: string, project: Root): Look;
  /** The names in a directory of a layer; not read again where it is as it was looked at last. */
  readonly namesIn: NamesIn;
  /** All that the layer had when it was looked at last, for who knows that nobody has changed it since; null when that is not known. */
  toured(layer: Layer): readonly TouredDirectory[] | null;
  /** What was noted of the layer has changed otherwise. */
  forget(): void;
}

export function createLooked(): Looked {
  let layer = "";
  let stamps: ReadonlyMap<string, string> = new Map();
  let read: ReadonlyMap<number, Read> = new Map();
  let last: (Tour & { readonly of: Layer }) | null = null;
  const namesIn: NamesIn = (dir, stat) => {
    const known = read.get(stat.ino);
    const isSame = known !== undefined && known.dev === stat.dev && known.ctimeMs === stat.ctimeMs;
    return isSame ? known.names : readNames(dir, false, stat);
  };
  return {
    look(live, stateDir, project) {
      const known = live.name === layer ? stamps : new Map();
      const began = fileClock(sessionDir(stateDir, live.session));
      const seen = new Map<number, Read>();
      const noteNames: NamesIn = (dir, stat) => {
        const { dev, ino, ctimeMs } = stat;
        const names = namesIn(dir, stat);
        if (ctimeMs < began) seen.set(ino, { dev, ctimeMs, names });
        return names;
      };
      const tour = tourOf(layerDir(stateDir, live), noteNames);
      const found = withStamps(tour.directories, project);
      return {
        changed: found.filter(({ directory, stamp }) => known.get(directory) !== stamp),
        done() {
          layer = live.name;
          // What is as new as the clock may change once more and be as new.
          const settled = found.filter(({ changedMs }) => changedMs < began);
          stamps = new Map(settled.map(({ directory, stamp }) => [directory, stamp]));
          read = seen;
          last = { of: live, ...tour };
        },
      };
    },
    namesIn,
    toured({ session, name }) {
      const isKnown = last?.isWhole === true && last.of.session === session && last.of.name === name;
      return isKnown ? last!.directories : null;
    },
    forget() {
      last = null;
      stamps = new Map();
    },
  };
}

/** The names that were read in a directory, and which one that was. */
interface Read extends Pick<fs.Stats, "dev" | "ctimeMs"> {
  readonly names: readonly NamedKind[];
}

interface Stamped extends LayerDirectory {
  readonly stamp: string;
  readonly changedMs: number;
}

interface Tour {
  readonly directories: readonly TouredDirectory[];
  /** False when something was left out. */
  readonly isWhole: boolean;
}

function tourOf(layer: string, namesIn: NamesIn): Tour {
  const start = fs.openSync(layer, O_PATH | fs.constants.O_DIRECTORY);
  try {
    const trail = [{ directory: "", names: [] as NamedKind[], stat: fs.fstatSync(start) }];
    const directories = [...trail];
    let isWhole = true;
    const leaveOut = () => {
      isWhole = false;
    };
    const enters = () => trail.at(-1)!.directory.length <= LIMITS.maxPathBytes;
    for (const { step, name, kind, stat } of tourTree(start, { enters, unreadable: leaveOut, namesIn })) {
      if (step === "leave") {
        trail.pop();
        continue;
      }
      const { directory, names } = trail.at(-1)!;
      names.push({ name, kind });
      if (step !== "enter") {
        if (kind === "directory") leaveOut();
        continue;
      }
      const entered = { directory: joinPath(directory, name), names: [], stat: stat! };
      trail.push(entered);
      directories.push(entered);
    }
    return { directories, isWhole };
  } finally {
    fs.closeSync(start);
  }
}

function withStamps(toured: readonly TouredDirectory[], project: Root): Stamped[] {
  const tree = openTreeReader(project);
  const directories = new Set<string>();
  try {
    return toured.map(({ directory, names, stat }) => {
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

/** Null where the project has no directory, or none that can be reached. */
function tryStat(tree: TreeReader, directory: string): fs.Stats | null {
  try {
    const stat = tree.stat(directory);
    return stat?.isDirectory() ? stat : null;
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

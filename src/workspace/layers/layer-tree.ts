// A layer as data, and a layer made from data. What leaves a session, enters it again or stands for many layers at once
// is a tree that was put together in memory; its files are further names of those that other layers have.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { createPace } from "../fs/cooperative.ts";
import { copyEntry } from "../fs/copy-entry.ts";
import { createCursor } from "../fs/cursor.ts";
import { createFollower, type Follower } from "../fs/follow-tree.ts";
import { kindAt, takeOver } from "../fs/metadata.ts";
import { pathTo, type Spot } from "../fs/no-follow.ts";
import { childPath, openRoot } from "../fs/paths.ts";
import { type TourOptions, tourTree } from "../fs/tree.ts";
import { putPlaceholder, readGone, writeGone } from "./clone-layer.ts";
import type { CloneTree, TreeEntry } from "./clone-tree.ts";
import { type AttributeOrder, overlayAttributes } from "./overlay-attributes.ts";
import type { Strategy } from "./record.ts";
import type { MakeWhiteout } from "./whiteout.ts";

export interface LayerEntry extends TreeEntry {
  below: Map<string, LayerEntry> | null;
  /** Of a directory: nothing of what is below the layer is seen in it. */
  isOpaque: boolean;
  /** The directory that has it under the same path, or where else it is. */
  readonly from: string | Spot;
  /** Of one that is to be a copy. */
  readonly mode?: number;
}

export const goneEntry = (from: string): LayerEntry => ({ kind: "gone", below: null, isOpaque: false, from });

export const directoryEntry = (from: LayerEntry["from"], mode?: number): LayerEntry => ({
  kind: "directory",
  below: new Map(),
  isOpaque: false,
  from,
  ...(mode !== undefined && { mode }),
});

/** Takes the directories of layers: all that is in them. */
export async function readLayers(layers: readonly string[], strategy: Strategy): Promise<LayerEntry[]> {
  return read(layers, strategy, { temporary: true });
}

/** A directory that is moved while it is read makes the reading worthless. */
const MOST_READINGS = 5;

/** The same while others may write to the last one: without hotcell's own temporary files, and what can't be read is empty. */
export async function readLiveLayers(layers: readonly string[], strategy: Strategy): Promise<LayerEntry[]> {
  for (let readings = 1; ; readings++) {
    try {
      return await read(layers, strategy, { unreadable: () => {} });
    } catch (error) {
      const isMoved = error instanceof HotcellError && error.code === "EXECUTION_ERROR";
      if (!isMoved || readings === MOST_READINGS) throw error;
    }
  }
}

async function read(
  layers: readonly string[],
  strategy: Strategy,
  options: TourOptions,
): Promise<LayerEntry[]> {
  const roots: LayerEntry[] = [];
  const asked: LayerEntry[] = [];
  const orders: AttributeOrder[] = [];
  const pace = createPace();
  for (const layer of layers) {
    orders.push(["layer", layer]);
    const gone = readGone(layer);
    const { fd } = openRoot(layer);
    const levels = [directoryEntry(layer)];
    roots.push(levels[0]!);
    try {
      for (const { step, dir, name, kind, trail } of tourTree(fd, options)) {
        await pace();
        if (step === "leave") {
          levels.pop();
          orders.push(["leave"]);
          continue;
        }
        const isGone = kind === "device" ? isWhiteout(dir, name) : isListed(gone, trail);
        const other = kind === "symlink" ? kind : "file";
        const entry: LayerEntry =
          step === "enter"
            ? directoryEntry(layer)
            : { kind: isGone ? "gone" : other, below: null, isOpaque: false, from: layer };
        levels.at(-1)!.below!.set(name, entry);
        if (step !== "enter") continue;
        levels.push(entry);
        asked.push(entry);
        orders.push(["enter", name], ["ask"]);
      }
    } finally {
      fs.closeSync(fd);
    }
  }
  if (strategy === "clone") return roots;
  const answers = await overlayAttributes(orders);
  for (const [index, entry] of asked.entries()) entry.isOpaque = answers[index]!;
  return roots;
}

const isListed = (gone: ReadonlySet<string>, trail: readonly string[]): boolean =>
  gone.size > 0 && gone.has(trail.join("/"));

function isWhiteout(dir: number, name: string): boolean {
  const stat = fs.lstatSync(childPath(dir, name));
  return stat.isCharacterDevice() && stat.rdev === 0;
}

/** A layer of the clone strategy. */
export async function readTree(at: string): Promise<CloneTree> {
  const [root] = await readLayers([at], "clone");
  return { at, root: root! };
}

/** One layer that shows what these show together, topmost first, whatever is below them. */
export function uniteLayers([top, ...lowers]: readonly LayerEntry[]): LayerEntry {
  const united = top!;
  const pending = lowers.map((lower) => ({ upper: united, lower }));
  for (let pair = pending.shift(); pair !== undefined; pair = pending.shift()) {
    const { upper, lower } = pair;
    for (const [name, entry] of lower.below!) {
      const above = upper.below!.get(name);
      if (above === undefined) upper.below!.set(name, entry);
      else if (above.below !== null && !above.isOpaque) {
        if (entry.below === null) above.isOpaque = true;
        else pending.unshift({ upper: above, lower: entry });
      }
    }
    if (lower !== united && lower.isOpaque) upper.isOpaque = true;
  }
  return united;
}

interface Level {
  readonly rest: [string, LayerEntry][];
  readonly like: fs.Stats;
  /** Nothing of what is below the layer is seen here. */
  readonly isClosed: boolean;
}

/** Makes a layer in a directory that is not there yet. */
export async function writeLayer(
  to: string,
  root: LayerEntry,
  strategy: Strategy,
  makeWhiteout: MakeWhiteout,
): Promise<void> {
  fs.mkdirSync(to, { mode: 0o700 });
  const orders: AttributeOrder[] = [["layer", to]];
  const gone = new Set<string>();
  const writing = beginWriting(to);
  const { target, trail } = writing;
  const pace = createPace();
  const like = fs.statSync(root.from as string);
  const levels: Level[] = [{ rest: [...root.below!], like, isClosed: false }];
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      await pace();
      const next = level.rest.pop();
      if (next === undefined) {
        const { mode } = level.like;
        const isLater = strategy === "kernel" && levels.length > 1 && (mode & 0o300) !== 0o300;
        if (isLater) {
          level.like.mode = mode | 0o700;
          orders.push(["chmod", (mode & 0o7777).toString(8)]);
        }
        takeOver(target.fd, level.like);
        levels.pop();
        if (levels.length > 0) {
          writing.leave();
          orders.push(["leave"]);
        }
        continue;
      }
      const [name, entry] = next;
      if (entry.below !== null) {
        const isClosed = level.isClosed || entry.isOpaque;
        levels.push({ rest: [...entry.below], like: writing.enter(name, entry), isClosed });
        const hasGone = !isClosed && [...entry.below.values()].some(({ kind }) => kind === "gone");
        orders.push(["enter", name]);
        if (entry.isOpaque) orders.push(["opaque"]);
        if (hasGone) orders.push(["merged"]);
      } else if (entry.kind !== "gone") await writing.put(name, entry);
      else if (level.isClosed) continue;
      else if (strategy === "kernel") makeWhiteout(target.fd, name);
      else {
        putPlaceholder({ dir: target.fd, name });
        gone.add([...trail, name].join("/"));
      }
    }
  } finally {
    writing.end();
  }
  if (strategy === "clone") writeGone(to, gone);
  else await overlayAttributes(orders);
}

/** Goes through the new layer, and beside it through the trees that it is made from. */
function beginWriting(to: string) {
  const { fd } = openRoot(to);
  const target = createCursor(fd);
  const trail: string[] = [];
  const sources = new Map<string, Follower>();
  const sourceOf = (from: string): Follower => {
    const known = sources.get(from);
    if (known !== undefined) return known;
    const source = createFollower(from);
    for (const name of trail) source.enter(name);
    sources.set(from, source);
    return source;
  };
  return {
    target,
    trail,
    /** Gives what the directory shall be like. */
    enter(name: string, { from, mode }: LayerEntry): fs.Stats {
      const like = sourceOf(from as string).like(name) ?? fs.fstatSync(target.fd);
      if (mode !== undefined) like.mode = (like.mode & ~0o7777) | mode;
      fs.mkdirSync(childPath(target.fd, name), 0o700);
      target.down(name);
      for (const source of sources.values()) source.enter(name);
      trail.push(name);
      return like;
    },
    leave(): void {
      target.up();
      for (const source of sources.values()) source.leave();
      trail.pop();
    },
    async put(name: string, { from, mode }: LayerEntry): Promise<void> {
      const dir = typeof from === "string" ? sourceOf(from).dir() : null;
      const source = typeof from === "string" ? dir !== null && { dir, name } : from;
      const spot = { dir: target.fd, name };
      if (source === false || (mode === undefined && tryLink(source, spot))) return;
      await copyEntry(source, spot);
      if (mode !== undefined && kindAt(spot.dir, name) === "file") fs.chmodSync(pathTo(spot), mode);
    },
    end(): void {
      for (const source of sources.values()) source.close();
      target.close();
      fs.closeSync(fd);
    },
  };
}

/** False when it can have no further name. */
function tryLink(from: Spot, to: Spot): boolean {
  try {
    fs.linkSync(pathTo(from), pathTo(to));
    return true;
  } catch (error) {
    if (["EMLINK", "EPERM", "EXDEV"].includes(osErrorCode(error) ?? "")) return false;
    throw error;
  }
}

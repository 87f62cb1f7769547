// Reads a layer into a tree in memory, and writes a layer from one. A layer that lost paths, holds reverted changes
// or replaces many layers is built as a tree; its files are hard links to files of other layers.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { createPace } from "../fs/cooperative.ts";
import { copyEntry } from "../fs/copy-entry.ts";
import { createCursor } from "../fs/cursor.ts";
import { createFollower, type Follower } from "../fs/follow-tree.ts";
import { copyMetadata, kindAt } from "../fs/metadata.ts";
import { type EntryRef, entryPath } from "../fs/no-follow.ts";
import { childPath, openRoot } from "../fs/paths.ts";
import { type WalkTreeOptions, walkTree } from "../fs/tree.ts";
import { putPlaceholder } from "./clone-layer.ts";
import type { CloneTree, TreeEntry } from "./clone-tree.ts";
import { attachDeleted, type DeletedNames, readDeleted, writeDeleted } from "./deleted-names.ts";
import { type AttributeOrder, overlayAttributes } from "./overlay-attributes.ts";
import type { Strategy } from "./record.ts";
import type { MakeWhiteout } from "./whiteout.ts";

export interface LayerEntry extends TreeEntry {
  below: Map<string, LayerEntry> | null;
  /** Of a directory: it hides the entries of lower layers. */
  isOpaque: boolean;
  /** The root that has the entry at the same path, or the entry's own location. */
  readonly from: string | EntryRef;
  /** Set if the entry must be a copy with this mode. */
  readonly mode?: number;
}

export const whiteoutEntry = (from: string): LayerEntry => ({
  kind: "gone",
  below: null,
  isOpaque: false,
  from,
});

export const directoryEntry = (from: LayerEntry["from"], mode?: number): LayerEntry => ({
  kind: "directory",
  below: new Map(),
  isOpaque: false,
  from,
  ...(mode !== undefined && { mode }),
});

/** Reads everything in these directories of layers. */
export async function readLayers(layers: readonly string[], strategy: Strategy): Promise<LayerEntry[]> {
  return read(layers, strategy, { temporary: true });
}

/** A directory that moves during the read makes the result invalid. */
const MAX_ATTEMPTS = 5;

/** Like `readLayers`, while others may write to the last layer: leaves out hotcell's temporary files, and treats unreadable directories as empty. */
export async function readLiveLayers(layers: readonly string[], strategy: Strategy): Promise<LayerEntry[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(layers, strategy, { unreadable: () => {} });
    } catch (error) {
      const isMoved = error instanceof HotcellError && error.code === "EXECUTION_ERROR";
      if (!isMoved || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function read(
  layers: readonly string[],
  strategy: Strategy,
  options: WalkTreeOptions,
): Promise<LayerEntry[]> {
  const roots: LayerEntry[] = [];
  const asked: LayerEntry[] = [];
  const orders: AttributeOrder[] = [];
  const pace = createPace();
  for (const layer of layers) {
    orders.push(["layer", layer]);
    const deleted: (DeletedNames | null | undefined)[] = [readDeleted(layer)];
    const { fd } = openRoot(layer);
    const levels = [directoryEntry(layer)];
    roots.push(levels[0]!);
    try {
      for (const { step, dir, name, kind } of walkTree(fd, options)) {
        await pace();
        if (step === "leave") {
          levels.pop();
          deleted.pop();
          orders.push(["leave"]);
          continue;
        }
        const below = deleted.at(-1)?.get(name);
        const isGone = kind === "device" ? isWhiteout(dir, name) : below === null;
        const other = kind === "symlink" ? kind : "file";
        const entry: LayerEntry =
          step === "enter"
            ? directoryEntry(layer)
            : { kind: isGone ? "gone" : other, below: null, isOpaque: false, from: layer };
        levels.at(-1)!.below!.set(name, entry);
        if (step !== "enter") continue;
        levels.push(entry);
        deleted.push(below);
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

function isWhiteout(dir: number, name: string): boolean {
  const stat = fs.lstatSync(childPath(dir, name));
  return stat.isCharacterDevice() && stat.rdev === 0;
}

/** Reads a layer of the clone strategy. */
export async function readTree(at: string): Promise<CloneTree> {
  const [root] = await readLayers([at], "clone");
  return { at, root: root! };
}

/** Merges layers, topmost first, into one that shows the same on any lower layers. */
export function mergeLayers([top, ...lowers]: readonly LayerEntry[]): LayerEntry {
  const united = top!;
  // A stack with the next lower layer on top: at each path the layers are merged from the top down.
  const pending = lowers.map((lower) => ({ upper: united, lower })).reverse();
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const { upper, lower } = pair;
    for (const [name, entry] of lower.below!) {
      const above = upper.below!.get(name);
      if (above === undefined) upper.below!.set(name, entry);
      else if (above.below !== null && !above.isOpaque) {
        if (entry.below === null) above.isOpaque = true;
        else pending.push({ upper: above, lower: entry });
      }
    }
    if (lower !== united && lower.isOpaque) upper.isOpaque = true;
  }
  return united;
}

interface Level {
  readonly name: string;
  readonly rest: [string, LayerEntry][];
  readonly deleted: DeletedNames;
  readonly like: fs.Stats;
  /** The directory, or one above it, hides the entries of lower layers. */
  readonly hidesLower: boolean;
}

/** Writes a layer into a directory that does not exist yet. */
export async function writeLayer(
  to: string,
  root: LayerEntry,
  strategy: Strategy,
  makeWhiteout: MakeWhiteout,
): Promise<void> {
  fs.mkdirSync(to, { mode: 0o700 });
  const orders: AttributeOrder[] = [["layer", to]];
  const deleted: DeletedNames = new Map();
  const writer = openLayerWriter(to);
  const { target } = writer;
  const pace = createPace();
  const like = fs.statSync(root.from as string);
  const levels: Level[] = [{ name: "", rest: [...root.below!], deleted, like, hidesLower: false }];
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      await pace();
      const next = level.rest.pop();
      if (next === undefined) {
        const { mode } = level.like;
        const setsModeLater = strategy === "kernel" && levels.length > 1 && (mode & 0o300) !== 0o300;
        if (setsModeLater) {
          level.like.mode = mode | 0o700;
          orders.push(["chmod", (mode & 0o7777).toString(8)]);
        }
        copyMetadata(target.fd, level.like);
        levels.pop();
        if (levels.length > 0) {
          attachDeleted(levels.at(-1)!.deleted, level.name, level.deleted);
          writer.leave();
          orders.push(["leave"]);
        }
        continue;
      }
      const [name, entry] = next;
      if (entry.below !== null) {
        const hidesLower = level.hidesLower || entry.isOpaque;
        const like = writer.enter(name, entry);
        levels.push({ name, rest: [...entry.below], deleted: new Map(), like, hidesLower });
        const hasGone = !hidesLower && [...entry.below.values()].some(({ kind }) => kind === "gone");
        orders.push(["enter", name]);
        if (entry.isOpaque) orders.push(["opaque"]);
        if (hasGone) orders.push(["merged"]);
      } else if (entry.kind !== "gone") await writer.put(name, entry);
      else if (level.hidesLower) continue;
      else if (strategy === "kernel") makeWhiteout(target.fd, name);
      else {
        putPlaceholder({ dir: target.fd, name });
        level.deleted.set(name, null);
      }
    }
  } finally {
    writer.end();
  }
  if (strategy === "clone") writeDeleted(to, deleted);
  else await overlayAttributes(orders);
}

/** Walks through the new layer and, in parallel, through its source trees. */
function openLayerWriter(to: string) {
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
    /** Returns the metadata that the directory must get. */
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
      const ref = { dir: target.fd, name };
      if (source === false || (mode === undefined && tryLink(source, ref))) return;
      await copyEntry(source, ref);
      if (mode !== undefined && kindAt(ref.dir, name) === "file") fs.chmodSync(entryPath(ref), mode);
    },
    end(): void {
      for (const source of sources.values()) source.close();
      target.close();
      fs.closeSync(fd);
    },
  };
}

/** False if no hard link can be made. */
function tryLink(from: EntryRef, to: EntryRef): boolean {
  try {
    fs.linkSync(entryPath(from), entryPath(to));
    return true;
  } catch (error) {
    if (["EMLINK", "EPERM", "EXDEV"].includes(osErrorCode(error) ?? "")) return false;
    throw error;
  }
}

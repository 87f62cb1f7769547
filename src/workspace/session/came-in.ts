// What is not seen by itself: it comes into a directory that the session has removed, made anew and committed, or
// where the session has made something and removed it again.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { parentOf } from "../commit/exactly.ts";
import { joinPath } from "../diff/path-names.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import { type Known, readStack, type Trees } from "./bases.ts";
import { statIn } from "./hidden-by.ts";
import { kindsIn } from "./kinds-in.ts";
import { layerDir } from "./layers.ts";
import { readMounts } from "./mounts.ts";
import { isOwn, type ProjectDirectories } from "./project-directories.ts";
import type { Layer, SessionRecord } from "./record.ts";
import { liveLayer } from "./stack.ts";

/** Whether something may come that is not seen by itself. */
export function mayComeUnseen(record: SessionRecord, stateDir: string, view: Root): boolean {
  const known = readStack(record.stack, stateDir);
  if (known.hidden.size > 0 || [...known.bases.keys()].some((at) => isOwn(at, known))) return true;
  return record.strategy === "kernel" && mayHide(placesOf(known), liveLayer(record), stateDir, view);
}

/** Whether one of these directories may show nothing of the project's: an overlay gives a single link to one that does, where the file system counts any. */
function mayHide(directories: ReadonlySet<string>, live: Layer, stateDir: string, view: Root): boolean {
  if (fs.statSync(layerDir(stateDir, live)).nlink === 1) return directories.size > 0;
  return reading(view, (tree) => [...directories].some((at) => (statIn(tree, at)?.nlink ?? 1) > 1));
}

/** Into which the session has committed. */
function placesOf({ moved }: Known): Set<string> {
  const places = new Set([...moved].map(parentOf));
  places.delete("");
  return places;
}

/** Directories into which the session has committed, or put something of its own, and in which something came or went since the live layer began. */
export function findStirred(known: Known, record: SessionRecord, directories: ProjectDirectories): string[] {
  const { since } = liveLayer(record);
  const stirred = [...directories.keys()].filter((at) => (directories.get(at)?.ctimeMs ?? 0) >= since);
  if (stirred.length === 0) return [];
  const places = placesOf(known);
  for (const at of known.bases.keys()) if (isOwn(at, known)) places.add(parentOf(at));
  const isMounted = readMounts(record.workspace);
  return stirred.filter((at) => places.has(at) && !isMounted(at));
}

/** Files and links that came into these directories, and that a view of the project as it is now does not show. */
export function findCome(
  places: readonly string[],
  known: Known,
  { since }: Layer,
  { project, view }: Trees,
): string[] {
  const committed = new Set([...known.moved].map(parentOf));
  return reading(project, (before) =>
    reading(view, (after) =>
      places.flatMap((directory) => {
        const shown = kindsIn(after, directory);
        if (shown === null) return [];
        const names = [...(kindsIn(before, directory)?.keys() ?? [])].filter((name) => !shown.has(name));
        const isAnew = directory !== "" && committed.has(directory);
        const mayCome = (at: string) => (known.bases.has(at) ? isOwn(at, known) : isAnew);
        const unknown = names.map((name) => joinPath(directory, name)).filter(mayCome);
        // What the session has seen in a directory that both had made, and removed with it, stays removed.
        const isLeft = (top: string, at: string) => !known.hidden.has(top) || isNew(before, at, since);
        const leaves = (top: string) => leavesOf(before, top).filter((at) => isLeft(top, at));
        return unknown.filter((at) => isNew(before, at, since)).flatMap(leaves);
      }),
    ),
  );
}

const CARRIED = new Set(["file", "symlink"]);

/** A directory comes with what is in it. */
function leavesOf(tree: TreeReader, top: string): string[] {
  const leaves: string[] = [];
  const left = [top];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const kind = tree.look(at)?.side.kind;
    const below = kind === "directory" ? [...(kindsIn(tree, at)?.keys() ?? [])] : [];
    if (kind !== undefined && CARRIED.has(kind)) leaves.push(at);
    for (const name of below) left.push(joinPath(at, name));
  }
  return leaves;
}

function isNew(tree: TreeReader, at: string, since: number): boolean {
  try {
    return (tree.stat(at)?.ctimeMs ?? 0) >= since;
  } catch (error) {
    // Something on the way is no directory any more, or can't be entered.
    if (error instanceof HotcellError) return false;
    throw error;
  }
}

function reading<T>(root: Root, work: (tree: TreeReader) => T): T {
  const tree = openTreeReader(root);
  try {
    return work(tree);
  } finally {
    tree.close();
  }
}

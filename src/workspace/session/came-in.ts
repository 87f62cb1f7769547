// What comes into a directory that the session has removed, made anew and committed: it is not seen there by itself.
import { HotcellError } from "../../core/errors.ts";
import { parentOf } from "../commit/exactly.ts";
import { joinPath } from "../diff/path-names.ts";
import { openTreeReader, type TreeReader } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import { type Known, kindsIn, type Trees } from "./bases.ts";
import { readMounts } from "./mounts.ts";
import type { ProjectDirectories } from "./project-directories.ts";
import type { Layer, SessionRecord } from "./record.ts";
import { liveLayer } from "./stack.ts";

/** Directories into which the session has committed, and in which something came or went since the live layer began. */
export function findStirred(
  { moved }: Known,
  record: SessionRecord,
  directories: ProjectDirectories,
): string[] {
  const places = new Set([...moved].map(parentOf));
  places.delete("");
  const isMounted = places.size > 0 ? readMounts(record.workspace) : () => false;
  const { since } = liveLayer(record);
  return [...places].filter((at) => (directories.get(at)?.ctimeMs ?? 0) >= since && !isMounted(at));
}

/** Files and links that came into these directories, and that a view of the project as it is now does not show. */
export function findCome(
  places: readonly string[],
  { bases }: Known,
  { since }: Layer,
  { project, view }: Trees,
): string[] {
  return reading(project, (before) =>
    reading(view, (after) =>
      places.flatMap((directory) => {
        const shown = kindsIn(after, directory);
        if (shown === null) return [];
        const names = [...(kindsIn(before, directory)?.keys() ?? [])].filter((name) => !shown.has(name));
        const unknown = names.map((name) => joinPath(directory, name)).filter((at) => !bases.has(at));
        return unknown.filter((at) => isNew(before, at, since)).flatMap((at) => leavesOf(before, at));
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

// What a revert took out of the project enters the session again: a new layer below all others shows it, based on what is
// in the project again. Where the session has changed a path since the commit, the layers above show that.
import { isThere, parentsOf } from "../commit/exactly.ts";
import { expectedVersion, lookOf } from "../commit/fingerprint.ts";
import { type Reverted, revertedIn, undoName } from "../commit/journal.ts";
import { type KeptUndo, openKeptUndo } from "../commit/kept-undo.ts";
import { fileClock } from "../file-clock.ts";
import { directoryEntry, goneEntry, type LayerEntry, writeLayer } from "../overlay/layer-tree.ts";
import { createWhiteouts } from "../overlay/whiteout.ts";
import { fdPath, type Root } from "../paths.ts";
import { keepAncestor, readStack } from "./bases.ts";
import { type Base, writeNotes } from "./layer-notes.ts";
import { layerDir } from "./layers.ts";
import { removeLayer } from "./make-session.ts";
import { type Layer, type SessionRecord, sessionDir, withoutCollapsed } from "./record.ts";
import type { Settling } from "./settle-commits.ts";

export async function enterReverted(
  record: SessionRecord,
  txDir: string,
  time: number,
  { stateDir, project }: Settling,
): Promise<SessionRecord> {
  const { id, strategy, next } = record;
  const reverted = [...revertedIn(txDir, time)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (reverted.length === 0) return record;
  const dir = sessionDir(stateDir, id);
  const layer: Layer = { session: id, name: String(next), call: null, since: fileClock(dir) };
  const bases = new Map<string, Base>();
  const hidden = new Set<string>();
  for (const [at, { put, was, isUnseen }] of reverted) {
    bases.set(at, isUnseen ? "unknown" : was && expectedVersion(was));
    if (was !== null && !isUnseen) keepAncestor(at, expectedVersion(was), layer, stateDir, project);
    if (was?.kind === "directory" && put?.kind !== "directory") hidden.add(at);
  }
  const kept = openKeptUndo(`${txDir}/${undoName(time)}`);
  const from = fdPath(project.fd);
  const known = readStack(record.stack, stateDir);
  try {
    const tree = directoryEntry(from);
    for (const [at, one] of reverted) {
      // What the user had removed before is nowhere.
      if (one.keptAt !== null && !isThere(kept.spotOf(one.keptAt))) continue;
      for (const made of enter(tree, at, entryOf(one, from, kept.spotOf)))
        bases.set(made, known.bases.get(made)?.base ?? directoryIn(project, made));
    }
    removeLayer(dir, layer.name);
    await writeLayer(layerDir(stateDir, layer), tree, strategy, createWhiteouts(dir));
  } finally {
    kept.close();
  }
  writeNotes(layer, stateDir, { bases, hidden });
  return { ...record, next: next + 1, stack: [layer, ...record.stack.map(withoutCollapsed)] };
}

/** Gives the directories that were missing on the way. Below what is no directory nothing can be seen. */
function enter(tree: LayerEntry, at: string, entry: LayerEntry): string[] {
  const made: string[] = [];
  let parent = tree;
  for (const above of parentsOf(at)) {
    const name = above.slice(above.lastIndexOf("/") + 1);
    const known = parent.below!.get(name);
    if (known?.below === null) return made;
    if (known === undefined) made.push(above);
    const directory = known ?? directoryEntry(tree.from as string);
    parent.below!.set(name, directory);
    parent = directory;
  }
  parent.below!.set(at.slice(at.lastIndexOf("/") + 1), entry);
  return made;
}

function entryOf({ put, keptAt }: Reverted, from: string, spotOf: KeptUndo["spotOf"]): LayerEntry {
  if (put === null) return goneEntry(from);
  if (put.kind === "directory") return directoryEntry(from, put.mode);
  const kind = put.kind === "symlink" ? put.kind : "file";
  const other = { kind, below: null, isOpaque: false } as const;
  // Where only the mode was changed, the content stands in the project.
  return keptAt === null ? { ...other, from, mode: put.mode } : { ...other, from: spotOf(keptAt) };
}

function directoryIn(project: Root, at: string): Base {
  const found = lookOf(project, at);
  return found?.kind === "directory" ? { ...found, sha256: null } : null;
}

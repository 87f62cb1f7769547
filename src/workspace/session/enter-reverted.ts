// Reverted changes enter the session again: a new layer below all others holds them, with the project's restored
// versions as bases. Where the session has changed a path since the commit, the layers above hide them.

import { type Reverted, readReverted, undoName } from "../commit/journal.ts";
import { type KeptUndo, openKeptUndo } from "../commit/kept-undo.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { expectedVersion, sameVersion } from "../fs/fingerprint.ts";
import { entryExists } from "../fs/no-follow.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import { type Base, readNotes, writeNotes } from "../layers/layer-notes.ts";
import { directoryEntry, type LayerEntry, whiteoutEntry, writeLayer } from "../layers/layer-tree.ts";
import {
  type Layer,
  type SessionRecord,
  type Stack,
  sessionDir,
  withoutCompacted,
} from "../layers/record.ts";
import { removeLayer } from "../layers/session-dirs.ts";
import { createWhiteouts } from "../layers/whiteout.ts";
import { readStack } from "./bases/known-bases.ts";
import { keepAncestor } from "./bases/take-bases.ts";
import { insertEntry } from "./insert-entry.ts";
import type { Settling } from "./settle-commits.ts";

export async function enterReverted(
  record: SessionRecord,
  txDir: string,
  time: number,
  { stateDir, project }: Settling,
): Promise<SessionRecord> {
  const { id, strategy, next } = record;
  const reverted = [...readReverted(txDir, time)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (reverted.length === 0) return record;
  const dir = sessionDir(stateDir, id);
  // `since: 0` means that no project entry counts as older than the layer: only its notes say what the project had.
  const layer: Layer = { session: id, name: String(next), call: null, since: 0 };
  const bases = new Map<string, Base>();
  const hidden = new Set<string>();
  for (const [at, one] of reverted) {
    bases.set(at, baseOf(at, one, layer, stateDir, project));
    if (one.was?.kind === "directory" && one.put?.kind !== "directory") hidden.add(at);
  }
  const kept = openKeptUndo(`${txDir}/${undoName(time)}`);
  const from = fdPath(project.fd);
  const known = readStack(record.stack, stateDir);
  try {
    const tree = directoryEntry(from);
    for (const [at, one] of reverted) {
      // Nothing is kept if the user had removed the file before the revert.
      if (one.keptAt !== null && !entryExists(kept.spotOf(one.keptAt))) continue;
      for (const [made, base] of insertEntry(tree, at, entryOf(one, from, kept.spotOf), project))
        if (!known.bases.has(made)) bases.set(made, base);
    }
    await runCooperatively(removeLayer(dir, layer.name));
    await writeLayer(layerDir(stateDir, layer), tree, strategy, createWhiteouts(dir));
  } finally {
    kept.close();
  }
  writeNotes(layer, stateDir, { bases, hidden });
  const below = (stack: Stack): Stack => [layer, ...stack.map(withoutCompacted)];
  return { ...record, next: next + 1, stack: below(record.stack), left: record.left.map(below) };
}

function baseOf(
  at: string,
  { was, isUnseen }: Reverted,
  layer: Layer,
  stateDir: string,
  project: Root,
): Base {
  if (isUnseen || was === null) return isUnseen ? "unknown" : null;
  keepAncestor(at, expectedVersion(was), layer, stateDir, project);
  return expectedVersion(was);
}

/** Where a layer's base is the committed version, sets it to the restored one. */
export function rebaseReverted(
  { stack, left }: SessionRecord,
  txDir: string,
  time: number,
  { stateDir, project }: Settling,
): void {
  const reverted = readReverted(txDir, time);
  for (const layer of new Set([stack, ...left].flat())) {
    const notes = readNotes(layer, stateDir);
    const isPut = (at: string, { put }: Reverted) => {
      const base = notes.bases.get(at);
      if (base === undefined || base === "unknown") return false;
      return sameVersion(base && { ...base, mode: base.mode & 0o777 }, put && expectedVersion(put));
    };
    const based = [...reverted].filter(([at, one]) => isPut(at, one));
    for (const [at, one] of based) notes.bases.set(at, baseOf(at, one, layer, stateDir, project));
    if (based.length > 0) writeNotes(layer, stateDir, notes);
  }
}

function entryOf({ put, keptAt }: Reverted, from: string, spotOf: KeptUndo["spotOf"]): LayerEntry {
  if (put === null) return whiteoutEntry(from);
  if (put.kind === "directory") return directoryEntry(from, put.mode);
  const kind = put.kind === "symlink" ? put.kind : "file";
  const other = { kind, below: null, isOpaque: false } as const;
  // If only the mode changed, the project has the content.
  return keptAt === null ? { ...other, from, mode: put.mode } : { ...other, from: spotOf(keptAt) };
}

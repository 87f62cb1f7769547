// Goes back to before a call, or to the project's state. Committed changes have left the session, and stay in the
// project.
import { HotcellError } from "../../core/errors.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import { fileClock } from "../fs/file-clock.ts";
import { fingerprintOf } from "../fs/fingerprint.ts";
import { showName } from "../fs/names.ts";
import { fallBackIfFull } from "../layers/fall-back-if-full.ts";
import { hasEntry, layerDir, pathsIn } from "../layers/layer-dirs.ts";
import { readNotes, writeNotes } from "../layers/layer-notes.ts";
import { readLayers } from "../layers/layer-tree.ts";
import type { Stack } from "../layers/record.ts";
import { discardRepositoryChanges } from "../layers/repository-layer.ts";
import { withReserve } from "../layers/reserve.ts";
import { indexOfCall, replaceStack, rewindRecord, undoRewindRecord } from "../layers/stack.ts";
import { openStackReader } from "../layers/stack-reader.ts";
import { emptyUnused, removeUnused } from "../layers/unreferenced-layers.ts";
import { readStack } from "./bases/known-bases.ts";
import { recordChanges, settle } from "./checkpoint.ts";
import { commitsSince, settledCommits } from "./commits.ts";
import { dropPaths, replaceLayers } from "./drop-paths.ts";
import { type SessionState, showRecord, withProject, withRollback } from "./session-state.ts";
import type { RewindResult } from "./session-types.ts";

/** Rewinds to before a call: everything, or only these paths. */
export async function rewindTo(
  state: SessionState,
  to: string,
  paths: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<RewindResult> {
  await settle(state, signal);
  const { stack } = state.record;
  const index = indexOfCall(state.record, to, commitsSince(state.dir, 0));
  if (paths !== undefined) await dropFrom(state, index, paths, signal);
  else {
    await showRecord(state, rewindRecord(state.record, to, fileClock(state.dir)));
    await runCooperatively(recordBases(stack.slice(index), state), signal);
  }
  return { commits: commitsSince(state.dir, stack[index]!.since) };
}

/** Records bases in the layers that a rewind removes from the stack. If only a lower layer had the base of a path, the version that is visible after the rewind becomes the base. */
function* recordBases(left: Stack, { record, view, store }: SessionState): Cooperative<void> {
  const seen = new Set<string>();
  const known = readStack(record.stack, store.stateDir);
  /** A note without an entry means that the lower layers undid their own change. */
  const baseBelow = (at: string) =>
    record.stack.some((layer) => hasEntry(layer, at, store.stateDir)) ? undefined : known.bases.get(at)?.base;
  for (const layer of left) {
    const notes = readNotes(layer, store.stateDir);
    const before = notes.bases.size;
    for (const at of yield* pathsIn(layer, store.stateDir)) {
      yield;
      if (seen.has(at)) continue;
      seen.add(at);
      if (notes.bases.has(at)) continue;
      const base = baseBelow(at);
      notes.bases.set(at, base === undefined ? yield* fingerprintOf(view.root, at) : base);
    }
    if (notes.bases.size > before) writeNotes(layer, store.stateDir, notes);
  }
}

/** Restores the session as it was before the last rewind, or before paths were discarded. */
export async function undoRewindIn(state: SessionState, signal?: AbortSignal): Promise<void> {
  await settle(state, signal);
  await showRecord(state, undoRewindRecord(state.record, fileClock(state.dir)));
}

/** Discards the session's changes at these paths, or all of them. */
export async function discardIn(
  state: SessionState,
  paths: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (paths === undefined) return discardAll(state);
  await withReserve(state.store.stateDir, async () => {
    await settle(state, signal);
    await dropFrom(state, 0, paths, signal);
  });
}

/** Removes the paths from this layer and all above it. */
async function dropFrom(
  state: SessionState,
  from: number,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { record, dir, store } = state;
  const { stateDir } = store;
  const isThere = await findExistingBefore(state, from, paths);
  const drops = new Map(paths.map((at) => [at, { isWhole: true, isShown: isThere.has(at) }]));
  const { replaced, next } = await withProject(record, (project) =>
    dropPaths(record, drops, { stateDir, project, from, signal }),
  );
  const { hiddenAbove } = readStack(record.stack, stateDir);
  const isGone = (at: string) => hiddenAbove(at) !== undefined;
  if (replaced.size === 0 && !paths.every(isGone)) throw notChanged(paths);
  const stack = replaceLayers(record.stack, replaced);
  state.scanCache.forget();
  await withRollback(state, async () => {
    await showRecord(state, replaceStack({ ...record, next }, stack, fileClock(dir)));
    await recordChanges(state, signal);
  });
}

/** The paths that existed before the layer with this index. */
async function findExistingBefore(
  { record, store }: SessionState,
  from: number,
  paths: readonly string[],
): Promise<Set<string>> {
  const lowers = record.stack.slice(0, from).map((layer) => layerDir(store.stateDir, layer));
  const layers = await readLayers(lowers, record.strategy);
  return withProject(record, (project) => {
    const tree = openStackReader(project, layers);
    try {
      return new Set(paths.filter((at) => tree.look(at) !== null));
    } finally {
      tree.close();
    }
  });
}

function notChanged(paths: readonly string[]): HotcellError {
  const shown = paths.map((at) => `"${showName(at)}"`).join(", ");
  return new HotcellError("NOT_FOUND", `The session has no change at ${shown}. See hotcell session diff.`);
}

/** Discards all changes. This frees disk space and must work on a full disk, so it records nothing about what it discards. */
async function discardAll(state: SessionState): Promise<void> {
  const { record, view, dir, store } = state;
  await fallBackIfFull(view.capture, view.forget);
  discardRepositoryChanges(dir);
  const emptied = { ...replaceStack(record, [], fileClock(dir)), left: [], settled: settledCommits(dir) };
  await fallBackIfFull(
    () => showRecord(state, emptied),
    () => {
      emptyUnused(emptied, store.stateDir);
      return showRecord(state, emptied);
    },
  );
  await runCooperatively(removeUnused(emptied, store.stateDir));
}

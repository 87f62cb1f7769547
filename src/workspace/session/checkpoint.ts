// Between two calls: record what the last one changed, remove committed paths from the layers, and give the next call
// its own layer on a fresh view of the project.
import { fileClock } from "../fs/file-clock.ts";
import { isEmptyLayer } from "../layers/layer-notes.ts";
import type { CallMark, Layer, SessionRecord } from "../layers/record.ts";
import { checkpointRecord, dropEmptyLayers, liveLayer } from "../layers/stack.ts";
import { type HadEntry, takeBases } from "./bases/take-bases.ts";
import { unfinishedCommits } from "./commits.ts";
import { type SessionState, saveRecord, showRecord, withProject, workInProject } from "./session-state.ts";
import { settleCommits } from "./settle-commits.ts";

/** Attributes the following changes to this call. While a background process uses the view, calls share a layer. */
export async function checkpoint(
  state: SessionState,
  call: CallMark | null,
  signal?: AbortSignal,
): Promise<void> {
  // A background process that ends meanwhile may have changed something after its changes were recorded.
  for (let isHeld = true; isHeld; ) {
    isHeld = state.holders.size > 0;
    await settle(state, signal);
    if (state.holders.size > 0) return;
  }
  await beginLayer(state, call);
}

/** Adds a layer on top, or assigns the live one to the call if it is empty. Then refreshes the view. */
export async function beginLayer(
  state: SessionState,
  call: CallMark | null,
  since = fileClock(state.dir),
): Promise<void> {
  const { record, view, store } = state;
  await showRecord(
    state,
    checkpointRecord(record, call, isEmptyLayer(liveLayer(record), store.stateDir), since),
  );
  await view.refresh();
}

/** Records all changes since the last time, and makes the layers reflect all commits and reverts. */
export async function settle(state: SessionState, signal?: AbortSignal): Promise<void> {
  await recordChanges(state, signal);
  await settleLayers(state, signal);
}

/** Captures the view's changes in the live layer, and records their bases. */
export async function recordChanges(
  state: SessionState,
  signal?: AbortSignal,
  graceMs?: number,
  had?: HadEntry,
): Promise<void> {
  const { record, view, scanCache, store } = state;
  await view.capture();
  await workInProject(
    state,
    (project) => takeBases(record, store.stateDir, { project, view: view.root, had }, scanCache),
    signal,
    graceMs,
  );
}

/** Makes the layers reflect all commits and reverts. Does nothing while a background process runs, because it would continue on the old view. */
export async function settleLayers(state: SessionState, signal?: AbortSignal): Promise<void> {
  const { holders, view, record, dir, store } = state;
  // An interrupted commit must be recovered first.
  if (!state.isUnsettled || holders.size > 0 || unfinishedCommits(dir).length > 0) return;
  const next = await withProject(record, (project) =>
    settleCommits(record, { stateDir: store.stateDir, project, view: view.root, signal }),
  );
  await showSettled(state, next);
  state.isUnsettled = false;
}

/** Shows the session with other layers below a new live one. Paths that these layers lack show the project's present state. */
export async function showSettled(state: SessionState, next: SessionRecord): Promise<void> {
  const { record, scanCache, view, store, dir } = state;
  if (next.stack === record.stack) return saveRecord(state, next);
  scanCache.forget();
  const isEmpty = (layer: Layer) => isEmptyLayer(layer, store.stateDir);
  await showRecord(state, dropEmptyLayers(next, isEmpty, fileClock(dir)));
  await view.refresh();
}

// Between two calls: what the last one changed is recorded, what was committed has left the layers, and the next one gets
// a layer of its own on a fresh view of the project.
import { fileClock } from "../fs/file-clock.ts";
import { isEmptyLayer } from "../layers/layer-notes.ts";
import type { CallMark, Layer, SessionRecord } from "../layers/record.ts";
import { checkpointed, liveLayer, relayered } from "../layers/stack.ts";
import { type Had, takeBases } from "./bases/bases.ts";
import { unfinishedCommits } from "./commits.ts";
import { type SessionState, saveRecord, showRecord, withProject, workInProject } from "./session-state.ts";
import { settleCommits } from "./settle-commits.ts";

/** What follows belongs to this call. While a background process works on the view, calls share a layer. */
export async function checkpoint(
  state: SessionState,
  call: CallMark | null,
  signal?: AbortSignal,
): Promise<void> {
  // A process that leaves meanwhile may have changed something after its changes were recorded.
  for (let isHeld = true; isHeld; ) {
    isHeld = state.holders.size > 0;
    await settle(state, signal);
    if (state.holders.size > 0) return;
  }
  await beginLayer(state, call);
}

/** Puts a new layer on top, or gives the live one to the call when it is empty. The view is fresh then. */
export async function beginLayer(
  state: SessionState,
  call: CallMark | null,
  since = fileClock(state.dir),
): Promise<void> {
  const { record, view, place } = state;
  await showRecord(state, checkpointed(record, call, isEmptyLayer(liveLayer(record), place.stateDir), since));
  await view.refresh();
}

/** Records what was changed since the last time, and makes the layers reflect all commits and reverts. */
export async function settle(state: SessionState, signal?: AbortSignal): Promise<void> {
  await recordChanges(state, signal);
  await settleLayers(state, signal);
}

/** What was changed in the view is in the live layer then, and what was there before is known. */
export async function recordChanges(
  state: SessionState,
  signal?: AbortSignal,
  graceMs?: number,
  had?: Had,
): Promise<void> {
  const { record, view, looked, place } = state;
  await view.capture();
  await workInProject(
    state,
    (project) => takeBases(record, place.stateDir, { project, view: view.root, had }, looked),
    signal,
    graceMs,
  );
}

/** Waits for background processes to end: they would go on with the old view. */
export async function settleLayers(state: SessionState, signal?: AbortSignal): Promise<void> {
  const { holders, view, record, dir, place } = state;
  // What was interrupted has to be recovered first.
  if (!state.isUnsettled || holders.size > 0 || unfinishedCommits(dir).length > 0) return;
  const next = await withProject(record, (project) =>
    settleCommits(record, { stateDir: place.stateDir, project, view: view.root, signal }),
  );
  await showSettled(state, next);
  state.isUnsettled = false;
}

/** Shows the session with other layers below a new live one, and what they don't have as it is in the project now. */
export async function showSettled(state: SessionState, next: SessionRecord): Promise<void> {
  const { record, looked, view, place, dir } = state;
  if (next.stack === record.stack) return saveRecord(state, next);
  looked.forget();
  const isEmpty = (layer: Layer) => isEmptyLayer(layer, place.stateDir);
  await showRecord(state, relayered(next, isEmpty, fileClock(dir)));
  await view.refresh();
}

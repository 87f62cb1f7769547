// A call in a session: the order of its steps.

import { changedIn } from "../layers/layer-dirs.ts";
import { isEmptyLayer } from "../layers/layer-notes.ts";
import type { CallMark } from "../layers/record.ts";
import { liveLayer } from "../layers/stack.ts";
import { beginLayer, checkpoint, recordChanges, settle, settleLayers } from "./checkpoint.ts";
import { ifPossible } from "./if-possible.ts";
import type { ReadWriteLock } from "./read-write-lock.ts";
import { refreshView, type SessionState } from "./session-state.ts";
import type { Changed, ChangeOptions } from "./session-types.ts";
import { settleWork } from "./settle-work.ts";

/** Runs a call that may change something. The caller holds the lock exclusively. */
export async function changeIn<T>(
  state: SessionState,
  call: CallMark,
  work: () => Promise<T>,
  { withoutSecrets = false, signal }: ChangeOptions,
): Promise<Changed<T>> {
  const { view, place } = state;
  if (withoutSecrets) view.mustHide();
  await checkpoint(state, call, signal);
  const record = () =>
    settleWork(state.id, (by, graceMs) => recordChanges(state, by, graceMs, view.had), signal);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await record();
    throw error;
  }
  const unnoted = await record();
  return { result, paths: changedIn(liveLayer(state.record), place.stateDir), unnoted };
}

/** Runs a read-only call in parallel with others, and again if the project changed underneath meanwhile. */
export async function readIn<T>(
  state: SessionState,
  { alone, together }: ReadWriteLock,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { view } = state;
  await alone(() => refreshToRead(state, signal));
  try {
    const result = await together(work);
    if (!view.isStale()) return result;
  } catch (error) {
    if (!view.isStale()) throw error;
  }
  await alone(() => refreshToRead(state, signal));
  return together(work);
}

/** Adds a layer if the live one is not empty and the view is stale: a mount with a non-empty upper layer would show the session's copy also at the path to which a user moved the original. */
async function refreshToRead(state: SessionState, signal: AbortSignal | undefined): Promise<void> {
  const { view, holders, place } = state;
  if (state.isUnsettled) await ifPossible(() => settleLayers(state, signal), signal);
  const needsNewLayer = () =>
    holders.size === 0 && view.isStale() && !isEmptyLayer(liveLayer(state.record), place.stateDir);
  if (needsNewLayer()) {
    // Nothing is written into the new layer yet. It keeps the old `since`, so that the project's changes meanwhile
    // are still detected.
    const replaceLayer = () =>
      settle(state, signal).then(() => beginLayer(state, null, liveLayer(state.record).since));
    await ifPossible(replaceLayer, signal);
  }
  await refreshView(state);
}

// The life of a call in a session: the order of its steps.

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

/** A call that changes something, in a turn of its own. */
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

/** A call that only reads, beside others; once more when the project changed underneath meanwhile. */
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

/** A view that is mounted on a live layer with something in it shows that also where a user has moved the original: so the layer is left. */
async function refreshToRead(state: SessionState, signal: AbortSignal | undefined): Promise<void> {
  const { view, holders, place } = state;
  if (state.isUnsettled) await ifPossible(() => settleLayers(state, signal), signal);
  const isLeft = () =>
    holders.size === 0 && view.isStale() && !isEmptyLayer(liveLayer(state.record), place.stateDir);
  if (isLeft()) {
    // Nothing is written into the next layer yet: it is as old, for what comes in has still to be found.
    const leaveLayer = () =>
      settle(state, signal).then(() => beginLayer(state, null, liveLayer(state.record).since));
    await ifPossible(leaveLayer, signal);
  }
  await refreshView(state);
}

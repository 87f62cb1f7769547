// A call in a session: the order of its steps.

import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { ReadWriteLock } from "../../core/read-write-lock.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { fallBackIfFull } from "../layers/fall-back-if-full.ts";
import { changedPathsIn } from "../layers/layer-dirs.ts";
import { isEmptyLayer } from "../layers/layer-notes.ts";
import type { CallMark } from "../layers/record.ts";
import { liveLayer } from "../layers/stack.ts";
import { beginLayer, checkpoint, recordChanges, settle, settleLayers } from "./checkpoint.ts";
import { followLayers } from "./database/follow-layers.ts";
import { refreshView, type SessionState } from "./session-state.ts";
import type { ChangeOptions, ChangeResult } from "./session-types.ts";
import { tryWork } from "./try-work.ts";

/** Runs a call that may change something. The caller holds the lock exclusively. */
export async function changeIn<T>(
  state: SessionState,
  call: CallMark,
  work: () => Promise<T>,
  { withoutSecrets = false, signal }: ChangeOptions,
): Promise<ChangeResult<T>> {
  if (withoutSecrets) state.view.mustHide();
  await checkpoint(state, call, signal);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await recordAndFollow(state, signal);
    throw error;
  }
  const warning = await recordAndFollow(state, signal);
  const changed = await fallBackIfFull(
    () => runCooperatively(changedPathsIn(liveLayer(state.record), state.store.stateDir)),
    () => ({ paths: ["."], unlisted: ["."] }),
  );
  return { result, ...changed, warning };
}

/** Records what a call changed, then writes it to the session's database. The call's work is done in any case: if recording is aborted and takes long, or fails as on a full disk, the next call starts with it. Returns why it failed. */
async function recordAndFollow(state: SessionState, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    await explainAsyncErrors("record the changes of the session", state.id, () =>
      recordChanges(state, signal, LIMITS.noteWaitMs, state.view.had),
    );
    await followLayers(state, signal);
    return null;
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) return null;
    if (!(error instanceof HotcellError)) throw error;
    return `${error.message} The changes are on the disk. The next changing call records them first.`;
  }
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
  const { view, holders, store } = state;
  if (state.isUnsettled) await tryWork(() => settleLayers(state, signal), signal);
  const needsNewLayer = () =>
    holders.size === 0 && view.isStale() && !isEmptyLayer(liveLayer(state.record), store.stateDir);
  if (needsNewLayer()) {
    // Nothing is written into the new layer yet. It keeps the old `since`, so that the project's changes meanwhile
    // are still detected.
    const replaceLayer = () =>
      settle(state, signal).then(() => beginLayer(state, null, liveLayer(state.record).since));
    await tryWork(replaceLayer, signal);
  }
  await refreshView(state);
}

// An open session. Each operation has its own file; this one does the locking, and refuses operations while a
// background process uses the view.
import path from "node:path";
import { openDirectoryView } from "../directory/directory-view.ts";
import { explainingLater } from "../fs/os-error.ts";
import { unlessFull } from "../layers/full-disk.ts";
import { readRecord, refuseForeign, sessionDir } from "../layers/record.ts";
import type { SessionPlace } from "../overlay/session-view.ts";
import { createLayerScanCache } from "./bases/layer-scan-cache.ts";
import { canNotHide, sessionIsBusy } from "./busy.ts";
import { changeIn, readIn } from "./change.ts";
import { checkpoint, settle } from "./checkpoint.ts";
import { commitIn, revertIn } from "./commit.ts";
import { refuseUnfinished } from "./commits.ts";
import { forkOf } from "./fork.ts";
import { ifPossible } from "./if-possible.ts";
import { openView } from "./open-view.ts";
import { createReadWriteLock } from "./read-write-lock.ts";
import { bytesIn } from "./registry/bytes-in.ts";
import { discardAllIn, discardIn, rewindTo, undoRewindIn } from "./rewind.ts";
import { planSession } from "./session-commit.ts";
import { withDiff } from "./session-diff.ts";
import { holdSession } from "./session-lock.ts";
import { diffPlaceOf, refreshView, type SessionState } from "./session-state.ts";
import type { Session } from "./session-types.ts";

export async function openSession(id: string, place: SessionPlace, mayChoose = false): Promise<Session> {
  const dir = sessionDir(place.stateDir, id);
  readRecord(dir);
  refuseForeign(dir);
  const release = holdSession(id, dir);
  try {
    refuseUnfinished(id, dir);
    const state = await openState(id, dir, place, mayChoose);
    await explainingLater("open the session", id, () => settleOpened(state));
    return sessionOn(state, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openState(
  id: string,
  dir: string,
  place: SessionPlace,
  mayChoose: boolean,
): Promise<SessionState> {
  const { record, view } = await openView(readRecord(dir), place, mayChoose);
  const workspace = openDirectoryView({
    mode: "overlay",
    project: record.workspace,
    root: view.root,
    closeRoot: view.close,
    notesDir: path.join(dir, "notes"),
    protectionOf: place.protectionOf,
    onUse: view.notice,
  });
  const scanCache = createLayerScanCache();
  return { id, dir, place, view, workspace, scanCache, holders: new Set(), record, isUnsettled: true };
}

/** A session can be opened on a full disk, so that it can be discarded. */
async function settleOpened(state: SessionState): Promise<void> {
  await unlessFull(
    async () => {
      await settle(state);
      await state.view.refresh();
    },
    () => {},
  );
  state.scanCache.forget();
}

function sessionOn(state: SessionState, release: () => void): Session {
  const { id, dir, view, workspace, holders } = state;
  const lock = createReadWriteLock();
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    lock.alone(() => explainingLater("work on the session", id, work));
  /** A background process would continue on the old view. */
  const ifIdle = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    alone(async () => {
      if (holders.size > 0) throw sessionIsBusy(what);
      return work();
    });

  return {
    get record() {
      return state.record;
    },
    workspace,
    view: view.root,
    change: (call, work, options = {}) => alone(() => changeIn(state, call, work, options)),
    read: (work, signal) => readIn(state, { alone, together: lock.together }, work, signal),
    checkpoint: (signal) => alone(() => checkpoint(state, null, signal)),
    rewind: (to, paths, signal) => ifIdle("rewind", () => rewindTo(state, to, paths, signal)),
    undoRewind: (signal) => ifIdle("undo the rewind", () => undoRewindIn(state, signal)),
    discard: (paths, signal) =>
      ifIdle("discard", () => (paths === undefined ? discardAllIn(state) : discardIn(state, paths, signal))),
    fork: (signal) => ifIdle("fork", () => forkOf(state, openSession, signal)),
    idle: () => alone(async () => {}),
    hideSecrets: () =>
      alone(async () => {
        if (holders.size === 0) await view.hideSecrets();
      }),
    async room(furnishing) {
      if (holders.size > 0 && !(await view.hidesAll())) throw canNotHide();
      return view.room(furnishing);
    },
    hold() {
      const holder = Symbol();
      holders.add(holder);
      return () => void holders.delete(holder);
    },
    bytes: () => bytesIn(dir),
    diff: (work, call, signal) =>
      alone(async () => {
        await view.capture();
        if (state.isUnsettled) await ifPossible(() => settle(state, signal), signal);
        return withDiff(id, { ...diffPlaceOf(state, signal), ...(call && { call }) }, work);
      }),
    plan: (options = {}, signal) =>
      alone(async () => {
        await settle(state, signal);
        await refreshView(state);
        return planSession(id, options, diffPlaceOf(state, signal));
      }),
    commit: (options = {}, watching = {}, signal) => alone(() => commitIn(state, options, watching, signal)),
    revert: (tx, signal) => alone(() => revertIn(state, tx, signal)),
    close() {
      workspace.close();
      release();
    },
  };
}

// An open session. Each operation has its own file; this one does the locking, and refuses operations while a
// background process uses the view.
import path from "node:path";
import { createReadWriteLock } from "../../core/read-write-lock.ts";
import { openDirectoryView } from "../directory/directory-view.ts";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { openKeyValueFile } from "../kv/key-value-file.ts";
import { createKeyValues } from "../kv/key-values.ts";
import { fallBackIfFull } from "../layers/fall-back-if-full.ts";
import { readRecord, refuseForeign, sessionDir } from "../layers/record.ts";
import { keepReserve, withReserve } from "../layers/reserve.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { createLayerScanCache } from "./bases/layer-scan-cache.ts";
import { hideSecretsIn, holdView, openNamespaceIn, refuseIfBusy } from "./busy.ts";
import { changeIn, readIn } from "./change.ts";
import { checkpoint, settle } from "./checkpoint.ts";
import { commitIn, diffIn, planIn, revertIn } from "./commit.ts";
import { commitGitBranchIn } from "./commit-git-branch.ts";
import { commitsIn, refuseUnfinished } from "./commits.ts";
import { tryAddCalls } from "./database/follow-calls.ts";
import { followLayers } from "./database/follow-layers.ts";
import { followValues } from "./database/follow-values.ts";
import { closeSessionFile } from "./database/session-database.ts";
import { openSessionDatabase } from "./database/take-changes.ts";
import { forkSessionOf } from "./fork.ts";
import { openView } from "./open-view.ts";
import { hasChanges } from "./registry/has-changes.ts";
import { measureSession } from "./registry/session-bytes.ts";
import { discardIn, rewindTo, undoRewindIn } from "./rewind.ts";
import { holdSession } from "./session-lock.ts";
import type { SessionState } from "./session-state.ts";
import type { ChangeResult, Session } from "./session-types.ts";

export async function openSession(id: string, store: SessionStore, mayChoose = false): Promise<Session> {
  const dir = sessionDir(store.stateDir, id);
  readRecord(dir);
  refuseForeign(dir);
  const release = await holdSession(id, dir, store.waitMs);
  try {
    refuseUnfinished(id, dir);
    keepReserve(store.stateDir);
    const state = await openState(id, dir, store, mayChoose);
    await explainAsyncErrors("open the session", id, async () => {
      await settleOpened(state);
      await openSessionDatabase(state);
    });
    return sessionOn(state, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openState(
  id: string,
  dir: string,
  store: SessionStore,
  mayChoose: boolean,
): Promise<SessionState> {
  const { record, view } = await openView(readRecord(dir), store, mayChoose);
  const workspace = openDirectoryView({
    mode: "overlay",
    project: record.workspace,
    root: view.root,
    closeRoot: view.close,
    notesDir: path.join(dir, "notes"),
    protectionOf: store.protectionOf,
    onUse: view.onUse,
  });
  const scanCache = createLayerScanCache();
  return {
    id,
    dir,
    store,
    view,
    workspace,
    kv: openKeyValueFile(dir),
    scanCache,
    holders: new Set(),
    record,
    database: null,
    wasHeld: false,
    isUnsettled: true,
    isForked: false,
  };
}

/** A session can be opened on a full disk, or with changes that do not fit in memory, so that it can be discarded. */
async function settleOpened(state: SessionState): Promise<void> {
  await fallBackIfFull(
    async () => {
      await settle(state);
      await state.view.refresh();
    },
    () => {},
  );
  state.scanCache.forget();
}

async function isUnused({ id, dir, record, view, store, isForked }: SessionState): Promise<boolean> {
  await view.capture();
  return (
    !isForked && record.left.length === 0 && commitsIn(dir).length === 0 && !(await hasChanges(id, store))
  );
}

function sessionOn(state: SessionState, release: () => void): Session {
  const { id, view, workspace } = state;
  const lock = createReadWriteLock();
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    lock.alone(() => explainAsyncErrors("use the session", id, work));
  const ifIdle = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    alone(async () => {
      refuseIfBusy(state, what);
      return work();
    });

  /** The database has the result before the caller does. What cannot be written, the next operation writes, and the next changing call reports. */
  const followed = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await work();
    await followLayers(state);
    return result;
  };

  /** Adds the notes about the database to the result. */
  const withNotes = <T>({ warning, ...rest }: ChangeResult<T>): ChangeResult<T> => {
    const notes = [warning, state.database?.notes.take() ?? null].filter((note) => note !== null);
    return { ...rest, warning: notes.length === 0 ? null : notes.join(" ") };
  };

  const onFullDisk = <T>(work: () => Promise<T>): Promise<T> => withReserve(state.store.stateDir, work);

  return {
    get record() {
      return state.record;
    },
    workspace,
    view: view.root,
    kv: createKeyValues(state.kv, () => followValues(state)),
    async replaceValues(values) {
      state.kv.replaceAll(values);
      await followValues(state);
    },
    change: (call, work, options = {}) =>
      alone(async () => withNotes(await changeIn(state, call, work, options))),
    read: (work, signal) => readIn(state, { alone, together: lock.together }, work, signal),
    checkpoint: (signal) => alone(() => followed(() => checkpoint(state, null, signal))),
    rewind: (to, paths, signal) => ifIdle("rewind", () => followed(() => rewindTo(state, to, paths, signal))),
    undoRewind: (signal) => ifIdle("undo the rewind", () => followed(() => undoRewindIn(state, signal))),
    discard: (paths, signal) => ifIdle("discard", () => followed(() => discardIn(state, paths, signal))),
    fork: (signal) => ifIdle("fork", () => forkSessionOf(state, openSession, signal)),
    isUnused: () => alone(() => followed(() => isUnused(state))),
    hideSecrets: () => alone(() => hideSecretsIn(state)),
    hidden: view.hidden,
    openNamespace: (options) => openNamespaceIn(state, options),
    hold: () => holdView(state),
    bytes: () => measureSession(id, state.store.stateDir).bytes,
    diff: (work, options = {}, signal) => alone(() => diffIn(state, work, options, signal)),
    plan: (options = {}, signal) => alone(() => onFullDisk(() => planIn(state, options, signal))),
    commit: (options = {}, watching = {}, signal) =>
      alone(() => followed(() => onFullDisk(() => commitIn(state, options, watching, signal)))),
    commitGitBranch: (branch, options = {}, signal) =>
      alone(() => followed(() => onFullDisk(() => commitGitBranchIn(state, branch, options, signal)))),
    revert: (tx, signal) => alone(() => followed(() => revertIn(state, tx, signal))),
    close() {
      workspace.close();
      tryAddCalls(state);
      if (state.database !== null) closeSessionFile(state.database, state.dir);
      state.database = null;
      release();
    },
  };
}

// The state of an open session in memory, and the two things that change with it: the record on disk, and the view
// that shows the record's layers.
import fs from "node:fs";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import type { KeyValueStore } from "../kv/key-value-store.ts";
import { compactIfTall } from "../layers/compact.ts";
import { rewriteRecord, type SessionRecord } from "../layers/record.ts";
import { removeLayer } from "../layers/session-dirs.ts";
import { liveLayer } from "../layers/stack.ts";
import type { SessionStore, SessionView } from "../overlay/session-view.ts";
import type { LayerScanCache } from "./bases/layer-scan-cache.ts";
import type { SessionDatabase } from "./database/session-database.ts";
import type { SessionDiffOptions } from "./session-diff.ts";

export interface SessionState {
  readonly id: string;
  /** The session's directory. */
  readonly dir: string;
  readonly store: SessionStore;
  readonly view: SessionView;
  readonly workspace: WorkspaceFS;
  readonly kv: KeyValueStore;
  /** Avoids scanning unchanged directories of layers again. */
  readonly scanCache: LayerScanCache;
  /** Background processes that use the view: while there is one, the view stays the same. */
  readonly holders: Set<symbol>;
  record: SessionRecord;
  /** Null in mode `overlay`. */
  database: SessionDatabase | null;
  /** A background process has used the view since the database was written. */
  wasHeld: boolean;
  /** The layers may not reflect a commit or revert yet. */
  isUnsettled: boolean;
  /** Another session may use its layers. */
  isForked: boolean;
}

export function saveRecord(state: SessionState, next: SessionRecord): void {
  if (next !== state.record) rewriteRecord(state.dir, state.record, next);
  state.record = next;
}

/** Shows the record's layers and saves the record; on failure neither. */
export async function showRecord(state: SessionState, wanted: SessionRecord): Promise<void> {
  const next = await compactIfTall(wanted, state.store.stateDir);
  const { name } = liveLayer(next);
  // A killed process may have left a layer with this number.
  if (name !== liveLayer(state.record).name) await runCooperatively(removeLayer(state.dir, name));
  await withRollback(state, async () => {
    await state.view.show(next.stack);
    saveRecord(state, next);
  });
}

/** Restores the record and the view if the work fails, as on a full disk. */
export async function withRollback<T>(state: SessionState, work: () => Promise<T>): Promise<T> {
  const before = state.record;
  try {
    return await work();
  } catch (error) {
    state.scanCache.forget();
    try {
      saveRecord(state, before);
      await state.view.show(before.stack);
    } catch {
      // The next call shows the recorded layers.
    }
    throw error;
  }
}

/** Refreshes the view from the project, unless a background process uses it. */
export async function refreshView({ holders, view }: SessionState): Promise<void> {
  if (holders.size === 0) await view.refresh();
}

export function diffOptionsOf(
  { store, holders }: SessionState,
  signal: AbortSignal | undefined,
): SessionDiffOptions {
  return { ...store, isQuiet: holders.size === 0, ...(signal && { signal }) };
}

export async function withProject<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  work: (project: Root) => T | Promise<T>,
): Promise<T> {
  const project = openRealRoot(workspace);
  try {
    return await work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}

/** Works on the project and yields to the event loop between pieces; the signal aborts it there. */
export function workInProject<T>(
  { record }: SessionState,
  work: (project: Root) => Cooperative<T>,
  signal?: AbortSignal,
  graceMs?: number,
): Promise<T> {
  return withProject(record, (project) => runCooperatively(work(project), signal, graceMs));
}

// What an open session has in memory, and the two ways in which it changes: the record on disk, and the view that shows
// the record's layers.
import fs from "node:fs";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { inPieces, type Pieces } from "../fs/cooperative.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import { collapsedIfTall } from "../layers/compact.ts";
import { rewriteRecord, type SessionRecord } from "../layers/record.ts";
import { removeLayer } from "../layers/session-dirs.ts";
import { liveLayer } from "../layers/stack.ts";
import type { SessionPlace, SessionView } from "../overlay/session-view.ts";
import type { LayerScanCache } from "./bases/layer-scan-cache.ts";
import type { SessionDiffOptions } from "./session-diff.ts";

export interface SessionState {
  readonly id: string;
  /** The session's directory. */
  readonly dir: string;
  readonly place: SessionPlace;
  readonly view: SessionView;
  readonly workspace: WorkspaceFS;
  /** What was seen of the layers, so that it need not be read again. */
  readonly looked: LayerScanCache;
  /** Background processes that work on the view: as long as there is one, it stays the same. */
  readonly holders: Set<symbol>;
  record: SessionRecord;
  /** A commit or revert may have to be settled. */
  isUnsettled: boolean;
}

export function saveRecord(state: SessionState, next: SessionRecord): void {
  if (next !== state.record) rewriteRecord(state.dir, state.record, next);
  state.record = next;
}

/** Shows the record's layers and saves it: both or, when it fails, neither. */
export async function showRecord(state: SessionState, wanted: SessionRecord): Promise<void> {
  const next = await collapsedIfTall(wanted, state.place.stateDir);
  const { name } = liveLayer(next);
  // What a killed process has left of a layer with this number.
  if (name !== liveLayer(state.record).name) removeLayer(state.dir, name);
  await rollingBack(state, async () => {
    await state.view.show(next.stack);
    saveRecord(state, next);
  });
}

/** What fails half-way, on a full disk maybe, is undone. */
export async function rollingBack<T>(state: SessionState, work: () => Promise<T>): Promise<T> {
  const before = state.record;
  try {
    return await work();
  } catch (error) {
    state.looked.forget();
    try {
      saveRecord(state, before);
      await state.view.show(before.stack);
    } catch {
      // The next call shows what is on record.
    }
    throw error;
  }
}

/** Takes in what changed in the project, unless somebody works on the view. */
export async function refreshView({ holders, view }: SessionState): Promise<void> {
  if (holders.size === 0) await view.refresh();
}

export function diffPlaceOf(
  { place, holders }: SessionState,
  signal: AbortSignal | undefined,
): SessionDiffOptions {
  return { ...place, isQuiet: holders.size === 0, ...(signal && { signal }) };
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

/** Works on the project in pieces; the signal calls it off between two of them. */
export function workInProject<T>(
  { record }: SessionState,
  work: (project: Root) => Pieces<T>,
  signal?: AbortSignal,
  graceMs?: number,
): Promise<T> {
  return withProject(record, (project) => inPieces(work(project), signal, graceMs));
}

// A diff, a plan and a commit in a session, and its revert: the order of their steps.

import type { CommitListeners } from "../commit/commit-listeners.ts";
import type { CommitPlan } from "../commit/plan/plan.ts";
import { type RevertResult, revertCommit } from "../commit/revert.ts";
import type { CommitResult } from "../commit/run-commit.ts";
import { runCooperatively } from "../fs/cooperative.ts";
import { clockStep } from "../fs/file-clock.ts";
import { removeUnused } from "../layers/unreferenced-layers.ts";
import { beginLayer, settle, settleLayers, showSettled } from "./checkpoint.ts";
import { withCommitLock } from "./commit-lock.ts";
import type { SessionCommitOptions } from "./commit-options.ts";
import { commitDir, refuseUnfinished } from "./commits.ts";
import { type CommitRun, commitSession, planSession } from "./session-commit.ts";
import { type SessionDiff, type SessionDiffOptions, withDiff } from "./session-diff.ts";
import { diffOptionsOf, refreshView, type SessionState, withProject, withRollback } from "./session-state.ts";
import { dropCommittedPaths } from "./settle-commits.ts";
import { tryWork } from "./try-work.ts";

/** Runs the work while the diff's trees are open. */
export async function diffIn<T>(
  state: SessionState,
  work: (diff: SessionDiff) => T | Promise<T>,
  options: Pick<SessionDiffOptions, "call" | "all">,
  signal?: AbortSignal,
): Promise<T> {
  await state.view.capture();
  if (state.isUnsettled) await tryWork(() => settle(state, signal), signal);
  return withDiff(state.id, { ...diffOptionsOf(state, signal), ...options }, work);
}

export async function planIn(
  state: SessionState,
  options: SessionCommitOptions,
  signal?: AbortSignal,
): Promise<CommitPlan> {
  await settle(state, signal);
  await refreshView(state);
  return planSession(state.id, options, diffOptionsOf(state, signal));
}

export async function commitIn(
  state: SessionState,
  options: SessionCommitOptions,
  watching: CommitListeners,
  signal?: AbortSignal,
): Promise<CommitResult> {
  refuseUnfinished(state.id, state.dir);
  await settle(state, signal);
  await refreshView(state);
  const isHeld = state.holders.size > 0;
  const run = await withRollback(state, async () => {
    // Nobody writes to the layers below a new one, so they stay as committed, whatever changes afterwards.
    if (!isHeld) await beginLayer(state, null);
    const store = diffOptionsOf(state, signal);
    state.isUnsettled = true;
    return commitSession(state.id, options, store, watching, isHeld ? null : topOf(state));
  });
  // The project has all changes by now, so a failure here must not fail the commit.
  await tryWork(() => leaveLayers(state, run));
  return run.result;
}

/** The layer below the live one. */
function topOf({ record }: SessionState): string | null {
  const top = record.stack.at(-2);
  return top === undefined ? null : `${top.session}/${top.name}`;
}

async function leaveLayers(state: SessionState, { result, leaving }: CommitRun): Promise<void> {
  // Waits for the file clock's next tick, so that present files are known to be older than a later call's layer.
  await clockStep(state.dir);
  if (result.tx === null && leaving !== null) await leaveWithoutSteps(state, leaving);
  await settleLayers(state);
  await runCooperatively(removeUnused(state.record, state.store.stateDir));
}

/** Removes paths from the layers that equal the project and need no commit. */
async function leaveWithoutSteps(
  state: SessionState,
  leaving: NonNullable<CommitRun["leaving"]>,
): Promise<void> {
  const { record, view, store } = state;
  if (leaving.top === null) return;
  const leavers = { done: new Map(), left: [], leaving };
  const next = await withProject(record, (project) =>
    dropCommittedPaths(record, leavers, { stateDir: store.stateDir, project, view: view.root }),
  );
  await showSettled(state, next);
}

/** Reverts a commit in the project. The reverted changes enter the session again. */
export async function revertIn(
  state: SessionState,
  tx: string | undefined,
  signal?: AbortSignal,
): Promise<RevertResult> {
  const { record, dir, store } = state;
  await settle(state, signal);
  const txDir = commitDir(dir, tx);
  state.isUnsettled = true;
  const result = await withCommitLock(record, store, (project) => revertCommit(txDir, project), signal);
  await clockStep(dir);
  await tryWork(() => settleLayers(state));
  return result;
}

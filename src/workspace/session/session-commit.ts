// Commits a session's changes to the project. A person can review the plan as an object; a commit computes it again
// and continues only if it is still the same.
import { HotcellError } from "../../core/errors.ts";
import type { CommitListeners } from "../commit/commit-listeners.ts";
import type { LeavingPaths } from "../commit/journal.ts";
import { findLostSecrets } from "../commit/plan/lost-secrets.ts";
import { type CommitPlan, planCommit } from "../commit/plan/plan.ts";
import type { Selection } from "../commit/plan/selection.ts";
import { applyCommit, type CommitResult } from "../commit/run-commit.ts";
import type { Change } from "../diff/changes.ts";
import { applyHunks } from "../diff/hunks.ts";
import { threeWayMerge } from "../diff/three-way-merge.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import {
  createFingerprintCache,
  expectedVersion,
  type Fingerprint,
  type FingerprintOf,
  identityAtPath,
} from "../fs/fingerprint.ts";
import type { Root } from "../fs/paths.ts";
import { type SessionRecord, sessionDir } from "../layers/record.ts";
import { openBases } from "./bases/known-bases.ts";
import { withCommitLock } from "./commit-lock.ts";
import { checkCommitOptions, type SessionCommitOptions } from "./commit-options.ts";
import { commitsIn, refuseOthersUnfinished, txDirOf } from "./commits.ts";
import { type DiffSources, type SessionDiffOptions, withDiff } from "./session-diff.ts";

/** Plans a commit. Changes nothing. */
export function planSession(
  id: string,
  options: SessionCommitOptions,
  store: SessionDiffOptions,
): Promise<CommitPlan> {
  return withPlan(id, options, store, ({ plan }) => plan);
}

interface Planned extends DiffSources {
  readonly plan: CommitPlan;
  readonly changes: readonly Change[];
  readonly record: SessionRecord;
}

/** Runs the work while both trees of the plan are open. */
async function withPlan<T>(
  id: string,
  options: SessionCommitOptions,
  store: SessionDiffOptions,
  work: (planned: Planned) => T | Promise<T>,
): Promise<T> {
  checkCommitOptions(options);
  const { selection = "all" } = options;
  const wantsLines = selection !== "all" && selection.hunks.length > 0;
  const fingerprintOf = createFingerprintCache();
  const diffOptions = wantsLines ? store : { ...store, fingerprintOf };
  return withDiff(id, diffOptions, async ({ changes }, record, sources) => {
    const lostSecrets = await findLostSecrets(changes, sources, store.protectionOf);
    const planning = planOf({ changes, record, fingerprintOf, lostSecrets, ...sources }, options, store);
    return work({ plan: await runCooperatively(planning, store.signal), changes, record, ...sources });
  });
}

export interface CommitRun {
  readonly result: CommitResult;
  /** The paths that leave the session's layers; null if the commit was aborted. */
  readonly leaving: LeavingPaths | null;
}

/** `top` is the topmost layer to commit from; null while a background process writes to it. */
export function commitSession(
  id: string,
  options: SessionCommitOptions,
  store: SessionDiffOptions,
  watching: CommitListeners,
  top: string | null,
): Promise<CommitRun> {
  const dir = sessionDir(store.stateDir, id);
  return withPlan(id, options, store, (planned) => {
    const { plan, project, view, record } = planned;
    if (options.planHash !== undefined && options.planHash !== plan.hash) throw planIsStale(plan);
    const leaving = chooseLeaving(planned, options.selection ?? "all", top);
    const txDir = txDirOf(dir, (commitsIn(dir).at(-1) ?? 0) + 1);
    const apply = async () => {
      refuseOthersUnfinished(id, store.stateDir);
      const where = { project, view, txDir, leaving };
      const result = await applyCommit(plan, { ...where, ...watching }, store.signal);
      const isAborted = result.conflicts.some(({ resolution }) => resolution === "none");
      return { result, leaving: isAborted ? null : leaving };
    };
    return withCommitLock(record, store, apply, store.signal);
  });
}

const NO_STEP_NEEDED = new Set<string>([
  "same in the project",
  "contains entries that the session never had",
]);

/** Selected paths that need no step leave too: they equal the project, or the project keeps its version. */
function chooseLeaving({ plan, changes }: Planned, selection: Selection, top: string | null): LeavingPaths {
  if (top === null) return { top, paths: [] };
  const merged = plan.conflicts.filter(({ resolution }) => resolution === "merged");
  const idle = plan.skipped.filter(({ why }) => NO_STEP_NEEDED.has(why));
  const paths = [...merged, ...idle].map(({ path }) => path);
  const settled = new Set([...paths, ...plan.steps.map(({ change }) => change)]);
  const isAll = selection === "all" && changes.every(({ path }) => settled.has(path));
  return { top, paths: isAll ? "all" : paths };
}

interface Planning extends Omit<Planned, "plan"> {
  readonly fingerprintOf: FingerprintOf;
  readonly lostSecrets: readonly string[];
}

function planOf(
  { changes, project, view, record, fingerprintOf, lostSecrets }: Planning,
  { selection = "all", onConflict = "abort", allowProtected = false }: SessionCommitOptions,
  { stateDir, protectionOf }: SessionDiffOptions,
): Cooperative<CommitPlan> {
  const bases = openBases(record, stateDir, project);
  return planCommit({
    changes,
    selection,
    *baseOf(at) {
      const base = yield* bases.baseOf(at);
      return base === undefined ? unknownBase(project, at) : base;
    },
    ancestorText: bases.ancestorText,
    project,
    view,
    fingerprintOf,
    policy: onConflict,
    allowProtected,
    lostSecrets,
    protectionOf,
    applyHunks,
    threeWayMerge,
  });
}

/** A fingerprint that no file has: whatever exists counts as changed. For a directory only the mode counts. */
function unknownBase(project: Root, at: string): Fingerprint {
  const found = identityAtPath(project, at);
  return found?.kind === "directory"
    ? { ...found, sha256: null, mode: -1 }
    : expectedVersion({ kind: "file", mode: 0, sha256: "unknown" });
}

function planIsStale({ hash }: CommitPlan): HotcellError {
  const message =
    "Could not commit: the session or the project changed since the plan was made. Make the plan again.";
  return new HotcellError("PRECONDITION_FAILED", message, { plan: hash });
}

// Commits a session's changes to the project. A person can review the plan as an object; a commit computes it again
// and continues only if it is still the same.
import { HotcellError } from "../../core/errors.ts";
import type { Leaving } from "../commit/journal.ts";
import { type CommitPlan, planCommit } from "../commit/plan/plan.ts";
import type { Selection } from "../commit/plan/selection.ts";
import { applyCommit, type CommitResult } from "../commit/run-commit.ts";
import type { CommitListeners } from "../commit/watching.ts";
import type { Change } from "../diff/changes.ts";
import { applyHunks } from "../diff/hunks.ts";
import { threeWayMerge } from "../diff/three-way-merge.ts";
import { inPieces, type Pieces } from "../fs/cooperative.ts";
import {
  expectedVersion,
  type Fingerprint,
  type FingerprintOf,
  lookOf,
  rememberFingerprints,
} from "../fs/fingerprint.ts";
import type { Root } from "../fs/paths.ts";
import { holdsSecrets } from "../layers/layer-dirs.ts";
import { type SessionRecord, sessionDir } from "../layers/record.ts";
import { openBases } from "./bases/bases.ts";
import { withCommitLock } from "./commit-lock.ts";
import { checkCommitOptions, type SessionCommitOptions } from "./commit-options.ts";
import { commitsIn, refuseOthersUnfinished, txDirOf } from "./commits.ts";
import { type DiffSources, type SessionDiffOptions, withDiff } from "./session-diff.ts";

/** What a commit would do. Changes nothing. */
export function planSession(
  id: string,
  options: SessionCommitOptions,
  place: SessionDiffOptions,
): Promise<CommitPlan> {
  return withPlan(id, options, place, ({ plan }) => plan);
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
  place: SessionDiffOptions,
  work: (planned: Planned) => T | Promise<T>,
): Promise<T> {
  checkCommitOptions(options);
  const { selection = "all" } = options;
  const wantsLines = selection !== "all" && selection.hunks.length > 0;
  const fingerprintOf = rememberFingerprints();
  const diffOptions = wantsLines ? place : { ...place, fingerprintOf };
  return withDiff(id, diffOptions, async ({ changes }, record, sources) => {
    const planning = planOf({ changes, record, fingerprintOf, ...sources }, options, place);
    return work({ plan: await inPieces(planning, place.signal), changes, record, ...sources });
  });
}

export interface CommitRun {
  readonly result: CommitResult;
  /** The paths that leave the session's layers; null if the commit was aborted. */
  readonly leaving: Leaving | null;
}

/** `top` is the topmost layer to commit from; null while a background process writes to it. */
export function commitSession(
  id: string,
  options: SessionCommitOptions,
  place: SessionDiffOptions,
  watching: CommitListeners,
  top: string | null,
): Promise<CommitRun> {
  const dir = sessionDir(place.stateDir, id);
  return withPlan(id, options, place, (planned) => {
    const { plan, project, view, record } = planned;
    if (options.planHash !== undefined && options.planHash !== plan.hash) throw planIsStale(plan);
    const leaving = chooseLeaving(planned, options.selection ?? "all", top, place);
    const txDir = txDirOf(dir, (commitsIn(dir).at(-1) ?? 0) + 1);
    const apply = async () => {
      refuseOthersUnfinished(id, place.stateDir);
      const where = { project, view, txDir, leaving };
      const result = await applyCommit(plan, { ...where, ...watching }, place.signal);
      const isAborted = result.conflicts.some(({ resolution }) => resolution === "none");
      return { result, leaving: isAborted ? null : leaving };
    };
    return withCommitLock(record, place.stateDir, apply, place.signal);
  });
}

const NO_STEP_NEEDED = new Set<string>(["same in the project", "holds what the session never had"]);

/** Selected paths that need no step leave too: they equal the project, or the project keeps its version. */
function chooseLeaving(
  { plan, changes, record }: Planned,
  selection: Selection,
  top: string | null,
  place: SessionDiffOptions,
): Leaving {
  if (top === null) return { top, paths: [] };
  const merged = plan.conflicts.filter(({ resolution }) => resolution === "merged");
  const idle = plan.skipped.filter(({ why }) => NO_STEP_NEEDED.has(why));
  const paths = [...merged, ...idle].map(({ path }) => path);
  const settled = new Set([...paths, ...plan.steps.map(({ change }) => change)]);
  const isAll = selection === "all" && changes.every(({ path }) => settled.has(path));
  return { top, paths: isAll && !holdsSecrets(record.stack, place) ? "all" : paths };
}

interface Planning extends Omit<Planned, "plan"> {
  readonly fingerprintOf: FingerprintOf;
}

function planOf(
  { changes, project, view, record, fingerprintOf }: Planning,
  { selection = "all", onConflict = "abort", allowProtected = false }: SessionCommitOptions,
  { stateDir, protectionOf }: SessionDiffOptions,
): Pieces<CommitPlan> {
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
    protectionOf,
    applyHunks,
    threeWayMerge,
  });
}

/** A fingerprint that no file has: whatever exists counts as changed. For a directory only the mode counts. */
function unknownBase(project: Root, at: string): Fingerprint {
  const found = lookOf(project, at);
  return found?.kind === "directory"
    ? { ...found, sha256: null, mode: -1 }
    : expectedVersion({ kind: "file", mode: 0, sha256: "unknown" });
}

function planIsStale({ hash }: CommitPlan): HotcellError {
  const message =
    "Could not commit: the session or the project changed since the plan was made. Look at the plan again.";
  return new HotcellError("PRECONDITION_FAILED", message, { plan: hash });
}

// Taking what a session changed into the project. The plan is an object that a person can look at; a commit makes it anew
// and goes on only when it is still the same.
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

/** What a commit would do; nothing is touched. */
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

/** Works with the plan while both sides are there to be read. */
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
  /** What leaves the session with it; null when the commit was given up. */
  readonly leaving: Leaving | null;
}

/** `top` is the topmost layer to commit from; null while somebody else is writing to it. */
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
    if (options.planHash !== undefined && options.planHash !== plan.hash) throw planIsOld(plan);
    const leaving = leavingWith(planned, options.selection ?? "all", top, place);
    const txDir = txDirOf(dir, (commitsIn(dir).at(-1) ?? 0) + 1);
    const apply = async () => {
      refuseOthersUnfinished(id, place.stateDir);
      const where = { project, view, txDir, leaving };
      const result = await applyCommit(plan, { ...where, ...watching }, place.signal);
      const isGivenUp = result.conflicts.some(({ resolution }) => resolution === "none");
      return { result, leaving: isGivenUp ? null : leaving };
    };
    return withCommitLock(record, place.stateDir, apply, place.signal);
  });
}

const NEEDING_NOTHING = new Set<string>(["same in the project", "holds what the session never had"]);

/** What is asked for and needs no step leaves too: it is as in the project, or as it was. */
function leavingWith(
  { plan, changes, record }: Planned,
  selection: Selection,
  top: string | null,
  place: SessionDiffOptions,
): Leaving {
  if (top === null) return { top, paths: [] };
  const merged = plan.conflicts.filter(({ resolution }) => resolution === "merged");
  const idle = plan.skipped.filter(({ why }) => NEEDING_NOTHING.has(why));
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

/** Something that no file is: whatever is there counts as changed. Of a directory only the mode does. */
function unknownBase(project: Root, at: string): Fingerprint {
  const found = lookOf(project, at);
  return found?.kind === "directory"
    ? { ...found, sha256: null, mode: -1 }
    : expectedVersion({ kind: "file", mode: 0, sha256: "unknown" });
}

function planIsOld({ hash }: CommitPlan): HotcellError {
  const message =
    "Could not commit: the session or the project changed since the plan was made. Look at the plan again.";
  return new HotcellError("PRECONDITION_FAILED", message, { plan: hash });
}

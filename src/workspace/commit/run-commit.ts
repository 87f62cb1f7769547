import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import { fingerprintOf, type RootOf, versionOf } from "../fs/fingerprint.ts";
import type { Root } from "../fs/paths.ts";
import { type CommitListeners, createListeners } from "./commit-listeners.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Journal, type LeavingPaths, readJournal } from "./journal.ts";
import { type CommitStep, putVersion } from "./plan/commit-step.ts";
import { refuseObstacles } from "./plan/obstacles.ts";
import type { CommitPlan, Conflict, ConflictReason, Skipped } from "./plan/plan.ts";
import { stageFromView } from "./stage-content.ts";
import { runTransaction } from "./transaction.ts";

export interface ApplyOptions extends CommitListeners {
  readonly project: Root;
  readonly view: RootOf;
  /** The commit's own directory in the state directory; created if missing. */
  readonly txDir: string;
  /** The paths that leave the session's layers with it. */
  readonly leaving?: LeavingPaths;
}

export interface CommitResult {
  /** The name of the transaction's directory; null if there was nothing to do. */
  readonly tx: string | null;
  /** Paths of the changes that are in the project now. */
  readonly committed: readonly string[];
  readonly skipped: readonly Skipped[];
  readonly conflicts: readonly Conflict[];
}

/** Executes a plan. Edits created in the project since the plan was computed stay and are reported. */
export async function applyCommit(
  plan: CommitPlan,
  options: ApplyOptions,
  signal?: AbortSignal,
): Promise<CommitResult> {
  const { steps, skipped, conflicts } = plan;
  const isAborted = conflicts.some(({ resolution }) => resolution === "none");
  if (isAborted || steps.length === 0) return { tx: null, committed: [], skipped, conflicts };
  const journal = await explainFailure(options.txDir, () => run(plan, options, signal));
  if (journal.failure !== null) throw takenBack(steps, journal);
  return {
    tx: path.basename(options.txDir),
    committed: committedPathsIn(steps, journal),
    skipped,
    conflicts: [...conflicts, ...(await runCooperatively(conflictsIn(plan, journal, options.project)))],
  };
}

async function run(plan: CommitPlan, options: ApplyOptions, signal?: AbortSignal): Promise<Journal> {
  const { project, view, txDir, leaving } = options;
  refuseObstacles("commit", plan.obstacles);
  if (readJournal(txDir) !== null) throw new Error(`a commit was made in ${txDir} already`);
  return runTransaction(
    { dir: txDir, project, ...createListeners(options) },
    {
      steps: plan.steps,
      undoes: null,
      ...(leaving && { leaving }),
      onConflict: isAllOrNothing(plan) ? "undo all" : "undo the change",
      stage: (step, _index, to) => stageFromView(view(step.path), step, to),
    },
    signal,
  );
}

const isAllOrNothing = ({ policy }: CommitPlan): boolean => policy === "abort" || policy === "merge";

function takenBack(steps: readonly CommitStep[], { outcomes, failure }: Journal): HotcellError {
  const changed = steps.filter((_, index) => outcomes[index]!.state === "done").map((step) => step.path);
  const state = changed.length === 0 ? "." : `, except at ${changed.length} paths that changed meanwhile.`;
  const message = `${failure!.message} hotcell undid its changes${state}`;
  return new HotcellError(failure!.code, message, { changed });
}

/** The changes whose steps are all done. */
function committedPathsIn(steps: readonly CommitStep[], { outcomes }: Journal): string[] {
  const missing = new Set(
    steps.filter((_, index) => outcomes[index]!.state !== "done").map(({ change }) => change),
  );
  const changes = new Set(steps.map(({ change }) => change));
  return [...changes].filter((change) => change !== null && !missing.has(change)).sort() as string[];
}

function* conflictsIn(plan: CommitPlan, { outcomes }: Journal, project: Root): Cooperative<Conflict[]> {
  const conflicts: Conflict[] = [];
  for (const [index, step] of plan.steps.entries()) {
    const { conflict } = outcomes[index]!;
    if (conflict !== null) conflicts.push(yield* conflictOf(plan, step, conflict, project));
  }
  return conflicts;
}

function* conflictOf(
  plan: CommitPlan,
  step: CommitStep,
  reason: ConflictReason,
  project: Root,
): Cooperative<Conflict> {
  const { op, path: at, change } = step;
  const found = yield* fingerprintOf(project, at);
  return {
    path: change ?? at,
    reason,
    resolution: isAllOrNothing(plan) ? "none" : "left",
    project: found && versionOf(found),
    session: op === "put" ? versionOf(putVersion(step)) : null,
  };
}

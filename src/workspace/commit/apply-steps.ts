// The phase in which a transaction applies its steps to the project.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { type Cooperative, createPace, runCooperatively } from "../fs/cooperative.ts";
import { isStillVersion } from "../fs/fingerprint.ts";
import { entryExists, inDirectory } from "../fs/no-follow.ts";
import { explainErrorsCooperatively } from "../fs/os-error.ts";
import { parentOf } from "../fs/path-text.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { NOT_FOR_DIRECTORIES, openDirectory, syncMany } from "../fs/sync.ts";
import { applyStep, SKIPPED_OUTCOME, type StepContext, undoStep } from "./apply-step.ts";
import { type Journal, type StepList, type StepOutcome, undoName } from "./journal.ts";
import type { CommitStep } from "./plan/commit-step.ts";
import type { Staging } from "./staging.ts";
import type { Transaction } from "./transaction.ts";

/** Applies all steps. Returns the journal of the next phase. */
export async function applySteps(
  tx: Transaction,
  journal: Journal,
  { steps, undoes }: StepList,
  staging: Staging,
): Promise<Journal> {
  const outcomes: StepOutcome[] = [];
  try {
    await applyAll(tx, steps, staging, outcomes);
    await syncParents(tx.project, steps);
    const checked = findLateEdits(outcomes, steps, staging);
    const found = await runCooperatively(explainErrorsCooperatively("commit to", ".", checked));
    return advance({ ...journal, outcomes: found }, steps);
  } catch (error) {
    // An undo cannot be aborted, and a step that is half done cannot be undone: recovery repeats both.
    if (undoes !== null || isHalfDone(outcomes, steps, staging)) throw error;
    const failure = describeFailure(error);
    const all = steps.map((_, index) => outcomes[index] ?? SKIPPED_OUTCOME);
    return undoAppliedSteps({ ...journal, outcomes: all, failure }, (outcome) => outcome.state === "done");
  }
}

/** Whether an entry is aside for a step without an outcome: it could not be cleaned up, or was made before a kill. */
function isHalfDone(
  outcomes: readonly StepOutcome[],
  steps: readonly CommitStep[],
  staging: Staging,
): boolean {
  return steps.some((_, index) => outcomes[index] === undefined && entryExists(staging.aside(index)));
}

/** Any error that is not explained is a bug. */
function describeFailure(error: unknown): NonNullable<Journal["failure"]> {
  if (error instanceof HotcellError) return { code: error.code, message: error.message };
  return {
    code: "INTERNAL_ERROR",
    message: `Could not commit because of a bug in hotcell: ${quote(String(error))}.`,
  };
}

async function applyAll(
  { project, tick, progress }: Transaction,
  steps: readonly CommitStep[],
  staging: Staging,
  outcomes: StepOutcome[],
): Promise<void> {
  const isRemoval = ({ op }: CommitStep) => op === "rmdir" || op === "delete";
  const removed = new Set(steps.filter(isRemoval).map(({ path }) => path));
  const isRemoved = (path: string) => removed.has(path);
  const pace = createPace();
  for (const [index, step] of steps.entries()) {
    const spots = { fresh: staging.fresh(index), aside: staging.aside(index) };
    await applyOrTakeBack(step, { project, ...spots, isRemoved, tick }, outcomes);
    progress(steps.length + index + 1, steps.length * 2);
    await pace();
  }
}

/** Cleans up a step that fails, so that it is not half done. */
async function applyOrTakeBack(step: CommitStep, place: StepContext, outcomes: StepOutcome[]): Promise<void> {
  try {
    outcomes.push(
      await runCooperatively(explainErrorsCooperatively("commit", step.path, applyStep(step, place))),
    );
  } catch (error) {
    outcomes.push(await runCooperatively(undoStep(step, place)));
    throw error;
  }
}

function syncParents(project: Root, steps: readonly CommitStep[]): Promise<void> {
  const directories = [...new Set(steps.map(({ path }) => parentOf(path)))];
  const all = directories.map((directory) => ({
    action: "sync",
    path: directory || ".",
    ignored: NOT_FOR_DIRECTORIES,
    open: () => inDirectory(project, directory, (dir) => (dir === null ? null : openDirectory(fdPath(dir)))),
  }));
  return syncMany(all);
}

/** Somebody who had the replaced file open may have written to it after it was moved aside. */
function* findLateEdits(
  outcomes: readonly StepOutcome[],
  steps: readonly CommitStep[],
  staging: Staging,
): Cooperative<StepOutcome[]> {
  const found = [...outcomes];
  for (const [index, outcome] of outcomes.entries()) {
    const { op, expect } = steps[index]!;
    const aside = staging.aside(index);
    const isReplaced = outcome.state === "done" && expect !== null && (op === "put" || op === "delete");
    if (!isReplaced || (yield* isStillVersion(aside, expect)) || !entryExists(aside)) continue;
    found[index] = { ...outcome, conflict: "changed in the project while it was replaced" };
  }
  return found;
}

/** Chooses the next phase after all steps were tried. */
function advance(journal: Journal, steps: readonly CommitStep[]): Journal {
  const { outcomes, onConflict } = journal;
  const inConflict = new Set(
    steps.filter((_, index) => outcomes[index]!.conflict !== null).map(({ change }) => change),
  );
  if (inConflict.size === 0 || onConflict === "leave") return { ...journal, phase: "keeping" };
  const isWanted = (outcome: StepOutcome, index: number) =>
    outcome.state === "done" && (onConflict === "undo all" || inConflict.has(steps[index]!.change));
  return undoAppliedSteps(journal, isWanted);
}

/** The journal of a transaction that must undo these steps. */
export function undoAppliedSteps(
  journal: Journal,
  which: (outcome: StepOutcome, index: number) => boolean,
): Journal {
  const steps = journal.outcomes.flatMap((outcome, index) => (which(outcome, index) ? [index] : []));
  if (steps.length === 0) return { ...journal, phase: "keeping" };
  return { ...journal, phase: "undoing", undoing: { steps, name: undoName(journal.undone + 1) } };
}

// Applies steps to the project, all or none. All content is staged first. When the journal says `applying`, the commit
// can no longer be cancelled; after a kill, recovery continues it, and every phase can be repeated from its start.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { type Cooperative, createPace, runCooperatively } from "../fs/cooperative.ts";
import { type EntryRef, entryExists } from "../fs/no-follow.ts";
import { explainErrorsCooperatively } from "../fs/os-error.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import {
  NOT_FOR_DIRECTORIES,
  openDirectory,
  openToSync,
  syncDirectory,
  syncMany,
  type ToSync,
  withSyncing,
} from "../fs/sync.ts";
import { applySteps } from "./apply-steps.ts";
import { invertSteps } from "./inverse.ts";
import {
  type Journal,
  readJournal,
  readSteps,
  removeJournal,
  type StepList,
  type StepOutcome,
  writeJournal,
  writeSteps,
} from "./journal.ts";
import { dropUndo, keepUndo, openKeptUndo } from "./kept-undo.ts";
import type { CommitStep } from "./plan/commit-step.ts";
import { findObstacles, refuseObstacles } from "./plan/obstacles.ts";
import { stageFromUndo } from "./stage-content.ts";
import { checkLinks, makeStaging, openStaging, removeStaging, type Staging } from "./staging.ts";
import { chooseStagingDirs } from "./staging-dirs.ts";

export interface Transaction {
  /** Its directory, in the state directory. */
  readonly dir: string;
  readonly project: Root;
  /** Called after each change on the disk. */
  readonly tick: () => void;
  /** Called when a step is staged or applied. */
  readonly progress: (done: number, total: number) => void;
}

export interface NewTransaction extends StepList {
  readonly onConflict: Journal["onConflict"];
  /** Creates a step's new content. */
  readonly stage: (step: CommitStep, index: number, to: EntryRef) => Cooperative<void>;
}

/** Stages and applies the steps. A failure or abort before the point of no return leaves nothing behind. */
export async function runTransaction(
  tx: Transaction,
  { onConflict, stage, ...steps }: NewTransaction,
  signal?: AbortSignal,
): Promise<Journal> {
  fs.mkdirSync(tx.dir, { recursive: true, mode: 0o700 });
  const started: Journal = {
    version: 1,
    phase: "staging",
    project: tx.project.path,
    ...chooseStagingDirs(tx.project, steps.steps),
    onConflict,
    outcomes: [],
    undoing: null,
    undone: 0,
    failure: null,
  };
  const staged: Journal = { ...started, phase: "applying" };
  try {
    writeSteps(tx.dir, steps);
    record(tx, started);
    syncDirectory(path.dirname(tx.dir));
    await stageAll(tx, started, steps.steps, stage, signal);
    signal?.throwIfAborted();
    record(tx, staged);
  } catch (error) {
    tryAbandon(tx, started);
    throw error;
  }
  return completeTransaction(tx, staged);
}

/** Recovery removes what remains; the caller reports the first error. */
function tryAbandon(tx: Transaction, journal: Journal): void {
  try {
    rollBack(tx, journal);
  } catch {}
}

/** Rolls back a transaction that has changed no file of the project. If the journal already says `applying`, it is set back to `staging` first. */
export function rollBack(tx: Transaction, journal: Journal): void {
  const written = readJournal(tx.dir);
  if (written !== null && written.phase !== "staging") record(tx, { ...journal, phase: "staging" });
  if (removeStaging(tx.project, journal.places)) tx.tick();
  removeJournal(tx.dir);
}

/** Completes a transaction that is past the point of no return. */
export async function completeTransaction(tx: Transaction, journal: Journal): Promise<Journal> {
  let now = journal;
  while (now.phase !== "done") {
    now = await advance(tx, now);
    if (now.phase === "done") tryRecord(tx, now);
    else record(tx, now);
  }
  return now;
}

/** The commit is complete, so a failure to record this is not reported. Recovery records it again. */
function tryRecord(tx: Transaction, journal: Journal): void {
  try {
    record(tx, journal);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
}

function advance(tx: Transaction, journal: Journal): Promise<Journal> {
  if (journal.phase === "applying") {
    return withStaging(tx, journal, (staging) => applySteps(tx, journal, readSteps(tx.dir), staging));
  }
  return journal.phase === "undoing" ? undoSteps(tx, journal) : storeReplaced(tx, journal);
}

function record(tx: Transaction, journal: Journal): void {
  writeJournal(tx.dir, journal);
  tx.tick();
}

async function stageAll(
  tx: Transaction,
  journal: Journal,
  steps: readonly CommitStep[],
  stage: NewTransaction["stage"],
  signal: AbortSignal | undefined,
): Promise<void> {
  makeStaging(tx.project, journal.places);
  tx.tick();
  await withStaging(tx, journal, async (staging) => {
    for (const fd of staging.fds) checkLinks(fd);
    const pace = createPace();
    await withSyncing(steps.filter(putsFile).length, async (sync) => {
      for (const [index, step] of steps.entries()) {
        const fresh = staging.fresh(index);
        await runCooperatively(
          explainErrorsCooperatively("stage", step.path, stage(step, index, fresh)),
          signal,
        );
        tx.tick();
        tx.progress(index + 1, steps.length * 2);
        if (putsFile(step)) await sync({ action: "stage", path: step.path, open: () => openToSync(fresh) });
        await pace();
      }
    });
    await syncMany(staging.fds.map(stagingDirectory));
  });
}

const putsFile = ({ op, content }: CommitStep): boolean => op === "put" && content !== "link";

const stagingDirectory = (fd: number): ToSync => ({
  action: "stage in",
  path: ".",
  ignored: NOT_FOR_DIRECTORIES,
  open: () => openDirectory(fdPath(fd)),
});

async function withStaging<T>(
  { project }: Transaction,
  journal: Journal,
  work: (staging: Staging) => Promise<T>,
): Promise<T> {
  const staging = openStaging(project, journal);
  try {
    return await work(staging);
  } finally {
    staging.close();
  }
}

async function undoSteps(tx: Transaction, journal: Journal): Promise<Journal> {
  const nested = { ...tx, dir: path.join(tx.dir, journal.undoing!.name), progress: () => {} };
  const started = readJournal(nested.dir);
  if (started?.phase === "staging") rollBack(nested, started);
  const isRunning = started !== null && started.phase !== "staging";
  const { outcomes } = await (isRunning
    ? completeTransaction(nested, started)
    : runInverse(tx, nested, journal));
  return {
    ...journal,
    phase: "keeping",
    undoing: null,
    undone: journal.undone + 1,
    outcomes: withUndone(journal, outcomes, readSteps(nested.dir).undoes!),
  };
}

/** On a conflict the undo restores the half-undone change, but does nothing further. */
async function runInverse(tx: Transaction, nested: Transaction, journal: Journal): Promise<Journal> {
  const { steps, undoes } = readSteps(tx.dir);
  const kept = openKeptUndo(tx.dir);
  try {
    return await withStaging(tx, journal, async (staging) => {
      const undoOf = (index: number): EntryRef | null =>
        [staging.aside(index), kept.spotOf(index)].find(entryExists) ?? null;
      const inverse = await runCooperatively(invertSteps(steps, journal.undoing!.steps, undoOf));
      refuseObstacles("put back", findObstacles(tx.project, inverse.steps));
      const stage: NewTransaction["stage"] = function* (step, index, to) {
        if (step.content !== null) yield* stageFromUndo(undoOf(inverse.undoes![index]!)!, step, to);
      };
      const onConflict = undoes === null ? "undo the change" : "leave";
      return runTransaction(nested, { ...inverse, onConflict, stage });
    });
  } finally {
    kept.close();
  }
}

function withUndone(
  { outcomes, undoing }: Journal,
  ended: readonly StepOutcome[],
  undoes: readonly number[],
): StepOutcome[] {
  const inverses = new Map(undoes.map((index, at) => [index, ended[at]!]));
  const which = new Set(undoing!.steps);
  return outcomes.map((outcome, index): StepOutcome => {
    // A step without an inverse had found the project as wanted.
    const { state, conflict } = inverses.get(index) ?? { state: "done", conflict: null };
    if (!which.has(index)) return outcome;
    if (state === "done") return { ...outcome, state: "undone" };
    return { ...outcome, conflict: conflict === null ? outcome.conflict : "changed since it was committed" };
  });
}

/** Stores the replaced entries, except those that are in the project again, and removes the staging directories. */
async function storeReplaced(tx: Transaction, journal: Journal): Promise<Journal> {
  const kept = openKeptUndo(tx.dir);
  try {
    await withStaging(tx, journal, async (staging) => {
      for (const [index, { state, kept: isKept }] of journal.outcomes.entries()) {
        const isWanted = state === "done" || isKept;
        if (isWanted && (await keepUndo(staging.aside(index), kept.spotOf(index)))) tx.tick();
        if (!isWanted && dropUndo(kept.spotOf(index))) tx.tick();
      }
      kept.sync();
    });
  } finally {
    kept.close();
  }
  if (removeStaging(tx.project, journal.places)) tx.tick();
  return { ...journal, phase: "done", places: [], placeOf: [] };
}

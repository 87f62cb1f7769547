import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import type { Root } from "../fs/paths.ts";
import { undoAppliedSteps } from "./apply-steps.ts";
import { type CommitListeners, createListeners } from "./commit-listeners.ts";
import { explainFailure } from "./explain-failure.ts";
import { checkProject, type Journal, readJournal, readSteps, writeJournal } from "./journal.ts";
import { completeTransaction } from "./transaction.ts";

export interface RevertResult {
  /** Paths of the changes that are no longer in the project. */
  readonly reverted: readonly string[];
  /** Paths that changed since, and stay as they are. */
  readonly changed: readonly string[];
}

/** Undoes what a commit replaced, removed and created. */
export async function revertCommit(
  txDir: string,
  project: Root,
  watching: CommitListeners = {},
): Promise<RevertResult> {
  const journal = readFinished(txDir, project);
  const tx = { dir: txDir, project, ...createListeners(watching) };
  const started = undoAppliedSteps(journal, ({ state }) => state === "done");
  if (started.phase !== "undoing") return { reverted: [], changed: [] };
  const finished = await explainFailure(txDir, async () => {
    writeJournal(txDir, started);
    tx.tick();
    try {
      return await completeTransaction(tx, started);
    } catch (error) {
      // It failed before it touched anything: the revert has not started.
      if (readJournal(path.join(txDir, started.undoing!.name)) === null) writeJournal(txDir, journal);
      throw error;
    }
  });
  return resultOf(txDir, journal, finished);
}

function readFinished(txDir: string, project: Root): Journal {
  const journal = readJournal(txDir);
  if (journal === null)
    throw new HotcellError("NOT_FOUND", "Could not revert the commit: it does not exist.");
  if (journal.phase !== "done") {
    throw new HotcellError(
      "COMMIT_INTERRUPTED",
      "Could not revert the commit: it was not finished. Run hotcell session recover first.",
    );
  }
  checkProject(journal, project.path);
  return journal;
}

function resultOf(txDir: string, before: Journal, after: Journal): RevertResult {
  const { steps } = readSteps(txDir);
  const changesIn = (matches: (index: number) => boolean) =>
    new Set(steps.flatMap(({ change }, index) => (change !== null && matches(index) ? [change] : [])));
  const touched = changesIn((index) => before.outcomes[index]!.state === "done");
  const left = changesIn(
    (index) => before.outcomes[index]!.state === "done" && after.outcomes[index]!.state === "done",
  );
  return { reverted: [...touched].filter((at) => !left.has(at)).sort(), changed: [...left].sort() };
}

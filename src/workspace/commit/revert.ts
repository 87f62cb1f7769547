import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import type { Root } from "../fs/paths.ts";
import { putBack } from "./apply-steps.ts";
import { finishing } from "./explain-failure.ts";
import { checkProject, type Journal, readJournal, readSteps, writeJournal } from "./journal.ts";
import { carryOn } from "./transaction.ts";
import { type CommitListeners, watched } from "./watching.ts";

export interface RevertResult {
  /** Paths of the changes that are no longer in the project. */
  readonly reverted: readonly string[];
  /** Paths that were changed since, and stay as they are. */
  readonly changed: readonly string[];
}

/** Puts back what a commit replaced, removed and made. */
export async function revertCommit(
  txDir: string,
  project: Root,
  watching: CommitListeners = {},
): Promise<RevertResult> {
  const journal = readFinished(txDir, project);
  const tx = { dir: txDir, project, ...watched(watching) };
  const begun = putBack(journal, ({ state }) => state === "done");
  if (begun.phase !== "undoing") return { reverted: [], changed: [] };
  const ended = await finishing(txDir, async () => {
    writeJournal(txDir, begun);
    tx.tick();
    try {
      return await carryOn(tx, begun);
    } catch (error) {
      // It failed before it touched anything: then it has not begun.
      if (readJournal(path.join(txDir, begun.undoing!.name)) === null) writeJournal(txDir, journal);
      throw error;
    }
  });
  return resultOf(txDir, journal, ended);
}

function readFinished(txDir: string, project: Root): Journal {
  const journal = readJournal(txDir);
  if (journal === null) throw new HotcellError("NOT_FOUND", "Could not revert the commit: there is none.");
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
  const changesIn = (isMeant: (index: number) => boolean) =>
    new Set(steps.flatMap(({ change }, index) => (change !== null && isMeant(index) ? [change] : [])));
  const touched = changesIn((index) => before.outcomes[index]!.state === "done");
  const left = changesIn(
    (index) => before.outcomes[index]!.state === "done" && after.outcomes[index]!.state === "done",
  );
  return { reverted: [...touched].filter((at) => !left.has(at)).sort(), changed: [...left].sort() };
}

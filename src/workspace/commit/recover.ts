import type { Root } from "../fs/paths.ts";
import { type CommitListeners, createListeners } from "./commit-listeners.ts";
import { explainFailure } from "./explain-failure.ts";
import { checkProject, readJournal, removeJournal } from "./journal.ts";
import { completeTransaction, rollBack } from "./transaction.ts";

/** `none`: nothing remained to be done. */
export type Recovery = "none" | "rolled back" | "finished";

/** Finishes or rolls back a killed commit (or its revert). It can be killed itself, and run again. */
export async function recoverCommit(
  txDir: string,
  project: Root,
  watching: CommitListeners = {},
): Promise<Recovery> {
  const journal = readJournal(txDir);
  if (journal === null) {
    removeJournal(txDir);
    return "none";
  }
  if (journal.phase === "done") return "none";
  checkProject(journal, project.path);
  const tx = { dir: txDir, project, ...createListeners(watching) };
  if (journal.phase === "staging") {
    await explainFailure(txDir, async () => rollBack(tx, journal));
    return "rolled back";
  }
  const { outcomes } = await explainFailure(txDir, () => completeTransaction(tx, journal));
  return outcomes.some(({ state }) => state === "done") ? "finished" : "rolled back";
}

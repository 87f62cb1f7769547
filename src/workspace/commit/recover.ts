import type { Root } from "../fs/paths.ts";
import { explainFailure } from "./explain-failure.ts";
import { checkProject, forget, readJournal } from "./journal.ts";
import { abandon, carryOn } from "./transaction.ts";
import { type CommitListeners, createListeners } from "./watching.ts";

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
    forget(txDir);
    return "none";
  }
  if (journal.phase === "done") return "none";
  checkProject(journal, project.path);
  const tx = { dir: txDir, project, ...createListeners(watching) };
  if (journal.phase === "staging") {
    await explainFailure(txDir, async () => abandon(tx, journal));
    return "rolled back";
  }
  const { outcomes } = await explainFailure(txDir, () => carryOn(tx, journal));
  return outcomes.some(({ state }) => state === "done") ? "finished" : "rolled back";
}

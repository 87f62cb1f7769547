import { expect } from "vitest";
import { type Journal, readJournal, writeJournal } from "../../src/workspace/commit/journal.ts";
import { sessionDir } from "../../src/workspace/layers/record.ts";
import { unfinishedCommits } from "../../src/workspace/session/commits.ts";
import type { Session } from "../../src/workspace/session/session-types.ts";

/** Leaves a commit as if its process had been killed when `isReached`: nothing of it works from then on, not even its undo. */
export async function interruptCommit(
  session: Session,
  stateDir: string,
  isReached: (change: number) => boolean,
): Promise<void> {
  const txDir = () => unfinishedCommits(sessionDir(stateDir, session.record.id))[0]!;
  let journal: Journal | null = null;
  const onStep = (change: number) => {
    if (journal === null && !isReached(change)) return;
    journal ??= readJournal(txDir());
    throw new Error("killed");
  };
  await expect(session.commit({}, { onStep })).rejects.toThrow("killed");
  writeJournal(txDir(), journal!);
}

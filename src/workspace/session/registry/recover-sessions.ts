import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { type Recovery, recoverCommit } from "../../commit/recover.ts";
import type { Root } from "../../fs/paths.ts";
import { readRecord, sessionDir } from "../../layers/record.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";
import { type LockStore, withCommitLock } from "../commit-lock.ts";
import { unfinishedCommits } from "../commits.ts";

export interface Recovered {
  readonly session: string;
  readonly tx: string;
  readonly result: Recovery | "failed";
  /** Why it failed. */
  readonly problem?: string;
}

interface RecoverOptions extends LockStore {
  readonly signal?: AbortSignal;
}

/** Recovers interrupted commits of one session, or of all. A failure does not stop the others. */
export async function recoverSessions(store: RecoverOptions, id?: string): Promise<Recovered[]> {
  const { stateDir } = store;
  const ids = id === undefined ? sessionIds(stateDir) : [id];
  const recovered: Recovered[] = [];
  for (const session of ids) {
    store.signal?.throwIfAborted();
    const dir = sessionDir(stateDir, session);
    const { workspace } = readRecord(dir);
    for (const txDir of unfinishedCommits(dir)) {
      const result = await tryRecover(txDir, workspace, store);
      recovered.push({ session, tx: path.basename(txDir), ...result });
    }
  }
  return recovered;
}

async function tryRecover(
  txDir: string,
  workspace: string,
  store: RecoverOptions,
): Promise<Pick<Recovered, "result" | "problem">> {
  try {
    const recover = (project: Root) => recoverCommit(txDir, project);
    return { result: await withCommitLock({ workspace }, store, recover, store.signal) };
  } catch (error) {
    store.signal?.throwIfAborted();
    if (!(error instanceof HotcellError)) throw error;
    return { result: "failed", problem: error.message };
  }
}

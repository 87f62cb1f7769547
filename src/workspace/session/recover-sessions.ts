import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { holdLock } from "../../core/lock.ts";
import { type Recovery, recoverCommit } from "../commit/recover.ts";
import { readRecord, sessionDir } from "./record.ts";
import { unfinishedCommits, withProject } from "./session-commit.ts";
import { sessionIds } from "./unused.ts";

export interface Recovered {
  readonly session: string;
  readonly tx: string;
  readonly result: Recovery | "failed";
  /** Why it failed. */
  readonly problem?: string;
}

/** Brings commits that were interrupted to an end: of one session, or of all. One that fails does not keep the others from it. */
export function recoverSessions(stateDir: string, id?: string): Recovered[] {
  const ids = id === undefined ? sessionIds(stateDir) : [id];
  return ids.flatMap((session) => {
    const dir = sessionDir(stateDir, session);
    const { workspace } = readRecord(dir);
    return unfinishedCommits(dir).map((txDir) => ({
      session,
      tx: path.basename(txDir),
      ...tryRecover(txDir, workspace, path.join(dir, "lock")),
    }));
  });
}

function tryRecover(txDir: string, workspace: string, lock: string): Pick<Recovered, "result" | "problem"> {
  try {
    const release = holdLock(lock);
    try {
      return { result: withProject({ workspace }, (project) => recoverCommit(txDir, project)) };
    } finally {
      release();
    }
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { result: "failed", problem: error.message };
  }
}

import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { type Recovery, recoverCommit } from "../commit/recover.ts";
import { readRecord, sessionDir } from "./record.ts";
import { unfinishedCommits, whileCommitting, withProject } from "./session-commit.ts";
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
      ...tryRecover(txDir, workspace, stateDir),
    }));
  });
}

function tryRecover(
  txDir: string,
  workspace: string,
  stateDir: string,
): Pick<Recovered, "result" | "problem"> {
  try {
    const recover = () => withProject({ workspace }, (project) => recoverCommit(txDir, project));
    return { result: whileCommitting({ workspace }, stateDir, recover) };
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { result: "failed", problem: error.message };
  }
}

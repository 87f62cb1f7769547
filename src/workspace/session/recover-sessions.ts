import path from "node:path";
import { holdLock } from "../../core/lock.ts";
import { type Recovery, recoverCommit } from "../commit/recover.ts";
import { readRecord, sessionDir } from "./record.ts";
import { unfinishedCommits, withProject } from "./session-commit.ts";
import { sessionIds } from "./unused.ts";

export interface Recovered {
  readonly session: string;
  readonly tx: string;
  readonly result: Recovery;
}

/** Brings commits that were interrupted to an end: of one session, or of all. */
export function recoverSessions(stateDir: string, id?: string): Recovered[] {
  const ids = id === undefined ? sessionIds(stateDir) : [id];
  return ids.flatMap((session) => recoverSession(session, stateDir));
}

function recoverSession(session: string, stateDir: string): Recovered[] {
  const dir = sessionDir(stateDir, session);
  const record = readRecord(dir);
  if (unfinishedCommits(dir).length === 0) return [];
  const release = holdLock(path.join(dir, "lock"));
  try {
    return withProject(record, (project) =>
      unfinishedCommits(dir).map((txDir) => ({
        session,
        tx: path.basename(txDir),
        result: recoverCommit(txDir, project),
      })),
    );
  } finally {
    release();
  }
}

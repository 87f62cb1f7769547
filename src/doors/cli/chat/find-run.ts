// Finds the run that --resume names, and the session that it belongs to.
import fs from "node:fs";
import { listRunFiles } from "../../../agent/list-runs.ts";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import type { Io } from "../io.ts";
import { findSession, type SessionFlags, sessionStoreFor, workspaceOf } from "../session/find-session.ts";

export interface FoundRun {
  readonly run: string;
  readonly session: string;
}

/** By its id, or `last`: the newest of this project. */
export async function findRun(io: Io, given: string, flags: SessionFlags): Promise<FoundRun> {
  const { stateDir } = sessionStoreFor(io, flags);
  const newestFirst = listRunFiles(stateDir).sort((a, b) => b.changedMs - a.changedMs);
  for (const { run, session } of newestFirst) {
    const isMeant = given === "last" ? await isOfProject(io, session, flags) : run === given;
    if (isMeant) return { run, session };
  }
  const what = given === "last" ? "a run of this project" : `the run ${quote(given)}`;
  throw new HotcellError("NOT_FOUND", `Could not find ${what} to resume.`);
}

async function isOfProject(io: Io, session: string, flags: SessionFlags): Promise<boolean> {
  const { workspace: _, ...others } = flags;
  try {
    return (await findSession(io, session, others)).workspace === fs.realpathSync(workspaceOf(io, flags));
  } catch {
    return false;
  }
}

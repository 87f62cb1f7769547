// Whose log a person means. The log of a session stays when the session is removed, as one without changes is.
import fs from "node:fs";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { listRuns, runPaths } from "../../../log/runs.ts";
import { workspaceKey } from "../../directory/host.ts";
import { findProject } from "../../layers/session-dirs.ts";
import type { SessionDiffOptions } from "../session-diff.ts";
import { findSessionId, LAST } from "./find-session.ts";

/** The id of a run: by that id, as a session is found, by its unique beginning, or `last`, the run that wrote to its log last. */
export async function findLoggedRun(
  given: string,
  store: SessionDiffOptions,
  project: string | null,
): Promise<string> {
  const { stateDir } = store;
  const runs = listRuns(stateDir);
  if (given === LAST) return lastOf(runs, stateDir, project);
  if (runs.includes(given)) return given;
  const session = await sessionOrNull(given, store, project);
  const found = session === null ? runs.filter((run) => run.startsWith(given)) : [session];
  const [run] = found;
  if (given === "" || run === undefined || !runs.includes(run)) throw noLog(given);
  if (found.length === 1) return run;
  const message = `Could not choose a log: ${found.length} ids begin with ${quote(given)}. Give more of the id.`;
  throw new HotcellError("INVALID_ARGUMENTS", message);
}

async function sessionOrNull(...wanted: Parameters<typeof findSessionId>): Promise<string | null> {
  try {
    return await findSessionId(...wanted);
  } catch (error) {
    if (error instanceof HotcellError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

function lastOf(runs: readonly string[], stateDir: string, project: string | null): string {
  const host = project === null ? null : `host-${workspaceKey(project)}`;
  const isHere = (run: string) =>
    host !== null && (run === host || run.startsWith(`${host}.`) || findProject(run, stateDir) === project);
  const [last] = runs
    .map((run) => ({ run, atMs: loggedMs(run, stateDir) }))
    .sort((a, b) => b.atMs - a.atMs)
    .filter(({ run, atMs }) => atMs > 0 && isHere(run));
  if (last !== undefined) return last.run;
  throw new HotcellError("NOT_FOUND", "There is no log of this project: nothing was called in it.");
}

/** 0 if nothing was called yet. */
function loggedMs(run: string, stateDir: string): number {
  const stat = fs.statSync(runPaths(stateDir, run).logFile, { throwIfNoEntry: false });
  return stat === undefined || stat.size === 0 ? 0 : stat.mtimeMs;
}

function noLog(given: string): HotcellError {
  const message = `There is no log of a session ${quote(given)}: nothing was called in it, or there is no such session. See hotcell session list.`;
  return new HotcellError("NOT_FOUND", message);
}

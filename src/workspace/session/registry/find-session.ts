// Which session a person or program means: by id, name, a unique beginning of either, or `last`.
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { committedMs } from "../../commit/journal.ts";
import { noSuchSession, readRecord, sessionDir } from "../../layers/record.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";
import { commitsSince, txDirOf } from "../commits.ts";
import type { SessionDiffOptions } from "../session-diff.ts";
import { hasChanges } from "./has-changes.ts";
import { findNamedSession, readSessionName } from "./named-session.ts";

export const LAST = "last";

/** `project` is the real path of the project that the caller works in; null if there is none. */
export async function findSessionId(
  given: string,
  store: SessionDiffOptions,
  project: string | null,
): Promise<string> {
  const { stateDir } = store;
  if (given === LAST) return lastSession(store, project);
  const named = project === null ? null : findNamedSession(stateDir, project, given);
  if (named !== null) return named;
  const ids = sessionIds(stateDir);
  if (ids.includes(given)) return given;
  const known = ids.map((id) => ({ id, name: readSessionName(stateDir, id) }));
  const exact = known.filter(({ name }) => name === given);
  const begins = known.filter(({ id, name }) => id.startsWith(given) || name?.startsWith(given));
  return onlyOne(
    given,
    exact.length > 0 ? exact : begins,
    (id) => readRecord(sessionDir(stateDir, id)).workspace === project,
  );
}

/** Of several, the only one of this project is meant. */
function onlyOne(given: string, found: readonly Named[], isHere: (id: string) => boolean): string {
  if (found.length === 0 || given === "") throw noSuchSession(given);
  const here = found.length === 1 ? found : found.filter(({ id }) => isHere(id));
  if (here.length === 1) return here[0]!.id;
  const some = found.slice(0, MAX_NAMED).map(({ id, name }) => name ?? id);
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
  const message = `Could not choose a session: ${quote(given)} may be ${some.join(", ")}${more}. Give more of the name or id.`;
  throw new HotcellError("INVALID_ARGUMENTS", message);
}

interface Named {
  readonly id: string;
  readonly name: string | null;
}

const MAX_NAMED = 5;

/** The newest session with changes, otherwise the newest. */
async function lastSession(store: SessionDiffOptions, project: string | null): Promise<string> {
  const ids = sessionsOf(store.stateDir, project).reverse();
  for (const id of ids) if (await hasChanges(id, store)) return id;
  const [newest] = ids;
  if (newest === undefined) throw noSession(project);
  return newest;
}

/** The session whose commit was the last one to the project that still has an effect. */
export function findLastCommittedId(stateDir: string, project: string): string {
  const found = commitsOf(stateDir, project).at(-1);
  if (found !== undefined) return found.id;
  const message = `There is nothing to undo: no commit to ${quote(project)} is in effect. To rewind a session: hotcell session rewind.`;
  throw new HotcellError("NOT_FOUND", message);
}

/** The last commit to the project before this one that still has an effect. */
export function findCommitBefore(
  stateDir: string,
  project: string,
  { id, tx }: SessionCommit,
): SessionCommit | undefined {
  const commits = commitsOf(stateDir, project);
  return commits[commits.findIndex((commit) => commit.id === id && commit.tx === tx) - 1];
}

export interface SessionCommit {
  readonly id: string;
  readonly tx: string;
}

/** The commits to the project that still have an effect, oldest first. */
function commitsOf(stateDir: string, project: string): SessionCommit[] {
  return sessionsOf(stateDir, project)
    .flatMap((id) => {
      const dir = sessionDir(stateDir, id);
      return commitsSince(dir, 0).map((tx) => ({ id, tx, atMs: committedMs(txDirOf(dir, tx)) }));
    })
    .sort((a, b) => a.atMs - b.atMs);
}

/** The session with the newest rewind, or discard of paths, that can be undone. */
export function findLastRewoundId(stateDir: string, project: string): string {
  const found = sessionsOf(stateDir, project)
    .map((id) => ({ id, record: readRecord(sessionDir(stateDir, id)) }))
    .filter(({ record }) => record.left.length > 0)
    .sort((a, b) => (a.record.leftMs ?? 0) - (b.record.leftMs ?? 0))
    .at(-1);
  if (found !== undefined) return found.id;
  const message = `There is no rewind to undo: no session of ${quote(project)} has one. To revert a commit: hotcell undo.`;
  throw new HotcellError("NOT_FOUND", message);
}

/** The session of this project that was created last; undefined if there is none. */
export function newestSessionId(stateDir: string, project: string): string | undefined {
  return sessionsOf(stateDir, project).at(-1);
}

/** Oldest first. */
function sessionsOf(stateDir: string, project: string | null): string[] {
  return sessionIds(stateDir).filter((id) => readRecord(sessionDir(stateDir, id)).workspace === project);
}

function noSession(project: string | null): HotcellError {
  if (project === null) {
    const message = `"${LAST}" is the newest session of a project, and no project is given. Give the session's id, or name an existing project (--workspace, or workspace of openCell). To list all sessions: hotcell session list --all.`;
    return new HotcellError("NOT_FOUND", message);
  }
  const message = `There is no session of ${quote(project)}. A command or call that changes something creates one, as hotcell exec -- COMMAND does. To list those of other projects: hotcell session list --all.`;
  return new HotcellError("NOT_FOUND", message);
}

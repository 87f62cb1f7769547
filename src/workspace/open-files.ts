// The files of a cell: a session, or the project itself.
import path from "node:path";
import { defaultStateDir } from "../config/load-config.ts";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { tryRealPath } from "../core/real-path.ts";
import type { Protection } from "../policy/protected.ts";
import { removeDatabase } from "./agentfs/driver.ts";
import { openHostWorkspace, workspaceKey } from "./directory/host.ts";
import { openStateDir } from "./files/state-dir.ts";
import type { WorkspaceFS } from "./files/workspace-fs.ts";
import { databaseOf, readRecord, type SessionRecord, type Strategy, sessionDir } from "./layers/record.ts";
import { removeSession } from "./layers/session-dirs.ts";
import type { SessionStore } from "./overlay/session-view.ts";
import { createSession } from "./session/create-session.ts";
import { findSessionId } from "./session/registry/find-session.ts";
import { keepsState } from "./session/registry/gc.ts";
import { findNamedSession, nameKey, nameSession } from "./session/registry/named-session.ts";
import { openSession } from "./session/session.ts";
import type { Session } from "./session/session-types.ts";

export interface FilesOptions {
  /** The project's directory. With `session` it may be left out. */
  readonly workspace?: string;
  /** Where changes go: into a session (`overlay`, the default), a session with a database (`agentfs`), or into the project itself (`host`). A session keeps its mode. */
  readonly fs?: "host" | "overlay" | "agentfs";
  /** The file of a new session's database. */
  readonly database?: string;
  /** A session to go on with: its id, its name, or `last`; without it a new one is made. */
  readonly session?: string;
  /** The caller's name for its work in this project. A later cell with this name continues the same session, log and state. */
  readonly run?: string;
  /** How a new session's view is made; the kernel's overlay where it can be had, when left out. */
  readonly strategy?: Strategy;
  readonly stateDir?: string;
  /** Called with the progress while a session copies the project. */
  readonly onProgress?: (done: number, total: number | null) => void;
  /** How long to wait for a session that another process has open. */
  readonly waitMs?: number;
  /** The most sessions of the project: then no more are created. */
  readonly maxSessions?: number;
}

export interface Files {
  readonly workspace: WorkspaceFS;
  /** Null on the host. */
  readonly session: Session | null;
  readonly stateDir: string;
  /** The name of the run that `@state` and the log are of. */
  readonly run: string;
  /** `isUnused`: the session holds nothing. Then it is removed, unless the caller named or chose it. */
  close(isUnused?: boolean): void;
}

export async function openFiles(
  options: FilesOptions,
  protectionOf: (path: string) => Protection | null,
): Promise<Files> {
  const givenState = options.stateDir ?? defaultStateDir(process.env);
  const id = await sessionOf(options, { stateDir: tryRealPath(givenState) ?? givenState, protectionOf });
  const given = workspaceOf(options, givenState, id);
  const stateDir = openStateDir(givenState, given);
  if (options.fs !== "host") return openSessionFiles(id, given, stateDir, options, protectionOf);
  if (options.database !== undefined) throw cannotOpen('the option database needs fs "agentfs"');
  const workspace = openHostWorkspace({ workspace: given, stateDir, protectionOf });
  const run = hostRunOf(workspace.root, options.run);
  return { workspace, session: null, stateDir, run, close: workspace.close };
}

/** The run of a project in mode `host`, by the project's real path. */
export function hostRunOf(root: string, name: string | undefined): string {
  return `host-${name === undefined ? workspaceKey(root) : nameKey(root, name)}`;
}

/** The id of the session that the caller means; null for a new one. */
async function sessionOf(
  { session, workspace, fs: mode }: FilesOptions,
  store: SessionStore,
): Promise<string | null> {
  if (session === undefined) return null;
  if (mode === "host") throw cannotOpen(`fs ${quote(mode)} has no sessions, but the options name one`);
  return findSessionId(session, store, workspace === undefined ? null : tryRealPath(workspace));
}

async function openSessionFiles(
  id: string | null,
  workspace: string,
  stateDir: string,
  options: FilesOptions,
  protectionOf: (path: string) => Protection | null,
): Promise<Files> {
  const { strategy, onProgress, run, waitMs, maxSessions, fs: mode, database } = options;
  const store = {
    stateDir,
    protectionOf,
    ...(onProgress && { onProgress }),
    ...(waitMs !== undefined && { waitMs }),
    ...(maxSessions !== undefined && { maxSessions }),
  };
  const project = tryRealPath(workspace) ?? workspace;
  const known = id ?? (run === undefined ? null : findNamedSession(stateDir, project, run));
  if (known !== null) checkMode(known, stateDir, options);
  const create = () =>
    createSession(workspace, {
      ...store,
      ...(strategy && { strategy }),
      ...(mode === "agentfs" && { fs: mode }),
      ...(database !== undefined && { database }),
    });
  const session =
    known !== null
      ? await openSession(known, store)
      : run === undefined
        ? await create()
        : await named(await create(), store, { project, run });
  const isImplicit = known === null && run === undefined;
  const close = (isUnused = false) => {
    session.close();
    if (isImplicit && isUnused && !keepsState(session.record.id, stateDir))
      removeWithDatabase(session.record, stateDir);
  };
  return { workspace: session.workspace, session, stateDir, run: session.record.id, close };
}

/** The session, with its name; or another session that got that name meanwhile. */
async function named(
  made: Session,
  store: SessionStore,
  { project, run }: { readonly project: string; readonly run: string },
): Promise<Session> {
  const winner = nameSession(store.stateDir, project, run, made.record.id);
  if (winner === made.record.id) return made;
  made.close();
  removeWithDatabase(made.record, store.stateDir);
  return openSession(winner, store);
}

/** A session that nobody has used leaves nothing. */
function removeWithDatabase(record: SessionRecord, stateDir: string): void {
  const file = databaseOf(record, sessionDir(stateDir, record.id));
  removeSession(record.id, stateDir);
  if (file !== null) removeDatabase(file);
}

/** A session keeps its mode and its database. */
function checkMode(id: string, stateDir: string, { fs: mode, database }: FilesOptions): void {
  const dir = sessionDir(stateDir, id);
  const own = databaseOf(readRecord(dir), dir);
  const has = own === null ? "overlay" : "agentfs";
  if (mode !== undefined && mode !== has)
    throw cannotOpen(
      `the session ${quote(id)} keeps its mode, fs ${quote(has)}, and the options say fs ${quote(mode)}`,
    );
  if (database === undefined || path.resolve(database) === own) return;
  throw cannotOpen(
    `the session ${quote(id)} has ${own === null ? "no database" : `the database ${quote(own)}`}, not ${quote(database)}`,
  );
}

/** A session brings its own. */
function workspaceOf({ workspace }: FilesOptions, stateDir: string, session: string | null): string {
  if (session === null) {
    if (workspace === undefined) throw cannotOpen("the options have neither a workspace nor a session");
    return workspace;
  }
  const own = readRecord(sessionDir(stateDir, session)).workspace;
  // A missing project is reported when the session is opened.
  if (workspace === undefined || (tryRealPath(workspace) ?? path.resolve(workspace)) === own) return own;
  throw cannotOpen(`the session ${quote(session)} belongs to ${quote(own)}, not to ${quote(workspace)}`);
}

function cannotOpen(state: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not open the cell: ${state}.`);
}

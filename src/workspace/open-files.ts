// The files of a cell: a session, or the project itself.
import fs from "node:fs";
import path from "node:path";
import { defaultStateDir } from "../config/load-config.ts";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { Protection } from "../policy/protected.ts";
import { openHostWorkspace, workspaceKey } from "./directory/host.ts";
import { openStateDir } from "./files/state-dir.ts";
import type { WorkspaceFS } from "./files/workspace-fs.ts";
import { readRecord, type Strategy, sessionDir } from "./layers/record.ts";
import { removeSession } from "./layers/session-dirs.ts";
import type { SessionPlace } from "./overlay/session-view.ts";
import { createSession } from "./session/create-session.ts";
import { findNamedSession, nameKey, nameSession } from "./session/registry/named-session.ts";
import { openSession } from "./session/session.ts";
import type { Session } from "./session/session-types.ts";

export interface FilesOptions {
  /** The project's directory. With `session` it may be left out. */
  readonly workspace?: string;
  /** Where changes go: into a session (`overlay`, the default), or into the project itself (`host`). */
  readonly fs?: "host" | "overlay" | "agentfs";
  /** The id of a session to go on with; without it a new one is made. */
  readonly session?: string;
  /** A name of the caller's own for what it does in this project: a later cell of the same name goes on with the same session, log and state. */
  readonly run?: string;
  /** How a new session's view is made; the kernel's overlay where it can be had, when left out. */
  readonly strategy?: Strategy;
  readonly stateDir?: string;
  /** Told while the project is copied, where a session needs that. */
  readonly onProgress?: (done: number, total: number | null) => void;
}

export interface Files {
  readonly workspace: WorkspaceFS;
  /** Null on the host. */
  readonly session: Session | null;
  readonly stateDir: string;
  /** The name of the run that `@state` and the log are of. */
  readonly run: string;
  close(): void;
}

export async function openFiles(
  options: FilesOptions,
  protectionOf: (path: string) => Protection | null,
): Promise<Files> {
  const { fs: mode = "overlay", session: id } = options;
  if (mode === "agentfs") throw cannotOpen("NOT_SUPPORTED", `this version has no fs ${quote(mode)} yet`);
  const givenState = options.stateDir ?? defaultStateDir(process.env);
  const given = workspaceOf(options, givenState);
  const stateDir = openStateDir(givenState, given);
  if (mode === "overlay") return openSessionFiles(id, given, stateDir, options, protectionOf);
  const workspace = openHostWorkspace({ workspace: given, stateDir, protectionOf });
  const key = options.run === undefined ? workspaceKey(workspace.root) : nameKey(workspace.root, options.run);
  const run = `host-${key}`;
  return { workspace, session: null, stateDir, run, close: workspace.close };
}

async function openSessionFiles(
  id: string | undefined,
  workspace: string,
  stateDir: string,
  { strategy, onProgress, run }: FilesOptions,
  protectionOf: (path: string) => Protection | null,
): Promise<Files> {
  const place = { stateDir, protectionOf, ...(onProgress && { onProgress }) };
  const project = realPathOf(workspace) ?? workspace;
  const known = id ?? (run === undefined ? null : findNamedSession(stateDir, project, run));
  const create = () => createSession(workspace, { ...place, ...(strategy && { strategy }) });
  const session =
    known !== null
      ? await openSession(known, place)
      : run === undefined
        ? await create()
        : await named(await create(), place, { project, run });
  return { workspace: session.workspace, session, stateDir, run: session.record.id, close: session.close };
}

/** The session, with its name; or the one that somebody else has given that name meanwhile. */
async function named(
  made: Session,
  place: SessionPlace,
  { project, run }: { readonly project: string; readonly run: string },
): Promise<Session> {
  const winner = nameSession(place.stateDir, project, run, made.record.id);
  if (winner === made.record.id) return made;
  made.close();
  removeSession(made.record.id, place.stateDir);
  return openSession(winner, place);
}

/** A session brings its own. */
function workspaceOf({ workspace, session, fs: mode }: FilesOptions, stateDir: string): string {
  if (session === undefined) {
    if (workspace === undefined)
      throw cannotOpen("CONFIG_INVALID", "neither a workspace nor a session is given");
    return workspace;
  }
  if (mode === "host")
    throw cannotOpen("CONFIG_INVALID", `a session is given, and fs ${quote(mode)} has none`);
  const own = readRecord(sessionDir(stateDir, session)).workspace;
  // Of a project that is gone, it is said when it is opened.
  if (workspace === undefined || (realPathOf(workspace) ?? path.resolve(workspace)) === own) return own;
  throw cannotOpen(
    "CONFIG_INVALID",
    `the session ${quote(session)} belongs to ${quote(own)}, not to ${quote(workspace)}`,
  );
}

function realPathOf(workspace: string): string | null {
  try {
    return fs.realpathSync(workspace);
  } catch {
    return null;
  }
}

function cannotOpen(code: "NOT_SUPPORTED" | "CONFIG_INVALID", state: string): HotcellError {
  return new HotcellError(code, `Could not open the cell: ${state}.`);
}

// Finds the session of a command, and reads its configuration.
import fs from "node:fs";
import path from "node:path";
import { recordOperations } from "../../../call/session/recorded-session.ts";
import { defaultStateDir, loadConfig } from "../../../config/load-config.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { tryRealPath } from "../../../core/real-path.ts";
import { type Log, openLog } from "../../../log/log.ts";
import { runPaths } from "../../../log/runs.ts";
import { createProtection } from "../../../policy/protected.ts";
import { openRealRoot } from "../../../workspace/fs/paths.ts";
import { readRecord, sessionDir } from "../../../workspace/layers/record.ts";
import type { SessionStore } from "../../../workspace/overlay/session-view.ts";
import { findLoggedRun } from "../../../workspace/session/registry/find-logged-run.ts";
import {
  findLastCommittedId,
  findLastRewoundId,
  findSessionId,
} from "../../../workspace/session/registry/find-session.ts";
import { readSessionName } from "../../../workspace/session/registry/named-session.ts";
import { openSession } from "../../../workspace/session/session.ts";
import type { Session } from "../../../workspace/session/session-types.ts";
import { type Io, usage } from "../io.ts";
import { createProgress } from "../progress.ts";

/** Flags that every command about sessions takes. */
export interface SessionFlags {
  readonly workspace?: string;
  readonly config?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly wait?: string;
}

export interface FoundSession {
  readonly id: string;
  readonly workspace: string;
  readonly store: SessionStore;
}

/** Reads the configuration of a project; by default the project of the command. */
export function sessionStoreFor(
  io: Io,
  flags: SessionFlags,
  workspace = workspaceOf(io, flags),
): SessionStore {
  const { stateDir, protect } = loadConfig({
    file: flags.config,
    workspace,
    env: io.env,
    flags,
    cwd: io.cwd,
  });
  return {
    stateDir: tryRealPath(stateDir) ?? stateDir,
    protectionOf: createProtection(protect),
    waitMs: readWait(flags.wait),
  };
}

const DEFAULT_WAIT_SECONDS = "5";

/** How long to wait for a session that another process has open. */
export function readWait(given = DEFAULT_WAIT_SECONDS): number {
  const seconds = Number(given);
  if (given.trim() === "" || !(seconds >= 0 && seconds * 1000 <= LIMITS.maxTimerMs))
    throw usage(`--wait is ${quote(given)}; it takes a number of seconds, such as 30.`);
  return Math.round(seconds * 1000);
}

export function workspaceOf(io: Io, { workspace = "." }: SessionFlags): string {
  return path.resolve(io.cwd, workspace);
}

/** By its id, its name, a beginning of either, or `last`. The session determines the project, not the current directory. */
export async function findSession(io: Io, given: string, flags: SessionFlags): Promise<FoundSession> {
  const store = sessionsStore(io, flags);
  const id = await findSessionId(given, store, realPathIfThere(workspaceOf(io, flags)));
  return foundSession(io, id, flags);
}

/** The run whose log is meant: that of a session, also of one that was removed, or `last`. */
export function findLog(io: Io, given: string, flags: SessionFlags): Promise<string> {
  return findLoggedRun(given, sessionsStore(io, flags), realPathIfThere(workspaceOf(io, flags)));
}

/** The session of the last commit to this project. */
export function findLastCommitted(io: Io, flags: SessionFlags): FoundSession {
  const { stateDir } = sessionsStore(io, flags);
  return foundSession(io, findLastCommittedId(stateDir, realPath(workspaceOf(io, flags))), flags);
}

/** The session of the last rewind in this project. */
export function findLastRewound(io: Io, flags: SessionFlags): FoundSession {
  const { stateDir } = sessionsStore(io, flags);
  return foundSession(io, findLastRewoundId(stateDir, realPath(workspaceOf(io, flags))), flags);
}

/** The session as an answer names it: a person may have typed `last`, or a part of its name. */
export function describeSession({ id, store }: Pick<FoundSession, "id" | "store">): string {
  const name = readSessionName(store.stateDir, id);
  return name === null ? id : `${id} (${name})`;
}

/** A project's configuration file does not decide where sessions are, so this does not read it. */
function sessionsStore(io: Io, flags: SessionFlags): SessionStore {
  return sessionStoreFor(io, flags, defaultStateDir(io.env));
}

function foundSession(io: Io, id: string, flags: SessionFlags): FoundSession {
  const { workspace } = readRecord(sessionDir(sessionsStore(io, flags).stateDir, id));
  if (flags.workspace !== undefined && realPath(workspaceOf(io, flags)) !== workspace) {
    throw usage(
      `The session ${quote(id)} belongs to ${quote(workspace)}, not to ${quote(flags.workspace)}. Omit --workspace.`,
    );
  }
  return { id, workspace, store: sessionStoreFor(io, flags, workspace) };
}

export async function withSession<T>(
  io: Io,
  { id, store }: FoundSession,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io, "Copying the project");
  const session = await openSession(id, { ...store, onProgress: progress.report }).finally(progress.end);
  try {
    return await work(
      recordOperations(session, (kind, fields) => recordIn(store.stateDir, id, kind, fields)),
    );
  } finally {
    session.close();
  }
}

/** While the session is held, no cell has its log open. */
function recordIn(stateDir: string, id: string, ...[kind, fields]: Parameters<Log["event"]>): void {
  const log = openLog(runPaths(stateDir, id));
  try {
    log.event(kind, fields);
  } finally {
    log.close();
  }
}

export function realPathIfThere(workspace: string): string | null {
  return fs.existsSync(workspace) ? realPath(workspace) : null;
}

export function realPath(workspace: string): string {
  const { fd, path: real } = openRealRoot(workspace);
  fs.closeSync(fd);
  return real;
}

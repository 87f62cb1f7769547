import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { removeDatabase } from "../agentfs/driver.ts";
import { fileClock } from "../fs/file-clock.ts";
import { explainErrors } from "../fs/os-error.ts";
import { openRoot } from "../fs/paths.ts";
import { OWN_DATABASE, type Strategy } from "../layers/record.ts";
import { refuseMoreSessions } from "../layers/refuse-more-sessions.ts";
import { makeSession, newSessionId, removeSession } from "../layers/session-dirs.ts";
import { newRecord } from "../layers/stack.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { checkNewDatabase } from "./database/session-database.ts";
import { strategyFor } from "./open-view.ts";
import { openSession } from "./session.ts";
import type { Session } from "./session-types.ts";

export interface CreateOptions extends SessionStore {
  /** Default: the kernel's overlay if this project supports it. */
  readonly strategy?: Strategy;
  /** `agentfs` keeps the changes in a database too. Default: `overlay`. */
  readonly fs?: "overlay" | "agentfs";
  /** The file of the database, outside the project. Default: one in the session's directory. */
  readonly database?: string;
}

/** Creates a session for a project, and opens it. */
export async function createSession(workspace: string, options: CreateOptions): Promise<Session> {
  const { stateDir } = options;
  const { fd, path: project } = openRoot(workspace);
  const { strategy = strategyFor(fd) } = options;
  fs.closeSync(fd);
  refuseMoreSessions(project, stateDir, options.maxSessions);
  const database = databaseFor(options, project);
  const record = { ...newRecord(newSessionId(), project, strategy, fileClock(stateDir)), ...database };
  explainErrors("create a session of", project, () => makeSession(record, stateDir));
  try {
    return await openSession(record.id, options, options.strategy === undefined);
  } catch (error) {
    removeSession(record.id, stateDir);
    if (options.database !== undefined) removeDatabase(record.database!);
    throw error;
  }
}

function databaseFor({ fs: mode, database }: CreateOptions, project: string): { database?: string } {
  if (mode === "agentfs")
    return { database: database === undefined ? OWN_DATABASE : checkNewDatabase(database, project) };
  if (database === undefined) return {};
  throw new HotcellError("CONFIG_INVALID", 'Could not use the option database: it needs fs "agentfs".');
}

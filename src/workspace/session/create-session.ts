import fs from "node:fs";
import { fileClock } from "../fs/file-clock.ts";
import { explaining } from "../fs/os-error.ts";
import { openRoot } from "../fs/paths.ts";
import type { Strategy } from "../layers/record.ts";
import { makeSession, newSessionId, removeSession } from "../layers/session-dirs.ts";
import { newRecord } from "../layers/stack.ts";
import type { SessionPlace } from "../overlay/session-view.ts";
import { strategyFor } from "./open-view.ts";
import { openSession } from "./session.ts";
import type { Session } from "./session-types.ts";

export interface CreateOptions extends SessionPlace {
  /** Default: the kernel's overlay if this project supports it. */
  readonly strategy?: Strategy;
}

/** Creates a session for a project, and opens it. */
export async function createSession(workspace: string, options: CreateOptions): Promise<Session> {
  const { stateDir } = options;
  const { fd, path: project } = openRoot(workspace);
  const { strategy = strategyFor(fd) } = options;
  fs.closeSync(fd);
  const record = newRecord(newSessionId(), project, strategy, fileClock(stateDir));
  explaining("make a session of", project, () => makeSession(record, stateDir));
  try {
    return await openSession(record.id, options, options.strategy === undefined);
  } catch (error) {
    removeSession(record.id, stateDir);
    throw error;
  }
}

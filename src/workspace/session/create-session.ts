import fs from "node:fs";
import { fileClock } from "../file-clock.ts";
import { explaining } from "../os-error.ts";
import { openRoot } from "../paths.ts";
import { makeSession, newSessionId, removeSession } from "./make-session.ts";
import { strategyFor } from "./open-view.ts";
import type { Strategy } from "./record.ts";
import { openSession } from "./session.ts";
import type { SessionPlace } from "./session-view.ts";
import type { Session } from "./session-words.ts";
import { begun } from "./stack.ts";

export interface CreateOptions extends SessionPlace {
  /** The kernel's overlay where it can be had for this project, when left out. */
  readonly strategy?: Strategy;
}

/** Makes a session for a project, and opens it. */
export async function createSession(workspace: string, options: CreateOptions): Promise<Session> {
  const { stateDir } = options;
  const { fd, path: project } = openRoot(workspace);
  const { strategy = strategyFor(fd) } = options;
  fs.closeSync(fd);
  const record = begun(newSessionId(), project, strategy, fileClock(stateDir));
  explaining("make a session of", project, () => makeSession(record, stateDir));
  try {
    return await openSession(record.id, options, options.strategy === undefined);
  } catch (error) {
    removeSession(record.id, stateDir);
    throw error;
  }
}

// Which session a command is about, and what the configuration says of it.
import fs from "node:fs";
import path from "node:path";
import { defaultStateDir, loadConfig } from "../../../config/load-config.ts";
import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { createProtection } from "../../../policy/protected.ts";
import { openRealRoot } from "../../../workspace/fs/paths.ts";
import { readRecord, sessionDir } from "../../../workspace/layers/record.ts";
import { sessionIds } from "../../../workspace/layers/unreferenced-layers.ts";
import type { SessionPlace } from "../../../workspace/overlay/session-view.ts";
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
}

export interface FoundSession {
  readonly id: string;
  readonly workspace: string;
  readonly place: SessionPlace;
}

/** What the configuration of a project says: the one that the command is run for, unless told. */
export function placeFor(io: Io, flags: SessionFlags, workspace = workspaceOf(io, flags)): SessionPlace {
  const { stateDir, protect } = loadConfig({
    file: flags.config,
    workspace,
    env: io.env,
    flags,
    cwd: io.cwd,
  });
  return {
    stateDir: fs.existsSync(stateDir) ? fs.realpathSync(stateDir) : stateDir,
    protectionOf: createProtection(protect),
  };
}

export function workspaceOf(io: Io, { workspace = "." }: SessionFlags): string {
  return path.resolve(io.cwd, workspace);
}

/** By its id, or `last`. It brings its own project along, wherever the command is run. */
export function findSession(io: Io, given: string, flags: SessionFlags): FoundSession {
  // No project's own file says where sessions are: the one that lies here is of no concern.
  const { stateDir } = placeFor(io, flags, defaultStateDir(io.env));
  const id = given === "last" ? lastSession(workspaceOf(io, flags), stateDir) : given;
  const { workspace } = readRecord(sessionDir(stateDir, id));
  if (flags.workspace !== undefined && realPath(workspaceOf(io, flags)) !== workspace) {
    throw usage(
      `The session ${quote(id)} is of ${quote(workspace)}, not of ${quote(flags.workspace)}. Leave --workspace out.`,
    );
  }
  return { id, workspace, place: placeFor(io, flags, workspace) };
}

export async function withSession<T>(
  io: Io,
  { id, place }: FoundSession,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io, "Copying the project");
  const session = await openSession(id, { ...place, onProgress: progress.report }).finally(progress.end);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}

function lastSession(workspace: string, stateDir: string): string {
  const real = realPath(workspace);
  const id = sessionIds(stateDir).findLast(
    (known) => readRecord(sessionDir(stateDir, known)).workspace === real,
  );
  if (id !== undefined) return id;
  throw new HotcellError(
    "NOT_FOUND",
    `There is no session of ${quote(workspace)}. Make one with hotcell session create, or see hotcell session list.`,
  );
}

function realPath(workspace: string): string {
  const { fd, path: real } = openRealRoot(workspace);
  fs.closeSync(fd);
  return real;
}

import { openStateDir } from "../../../workspace/files/state-dir.ts";
import { listMounts } from "../../../workspace/fs/mountinfo.ts";
import { showName } from "../../../workspace/fs/names.ts";
import type { SessionRecord } from "../../../workspace/layers/record.ts";
import { createSession } from "../../../workspace/session/create-session.ts";
import { refuseName, renameSession } from "../../../workspace/session/registry/named-session.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes } from "../io.ts";
import { createProgress } from "../progress.ts";
import {
  findSession,
  realPath,
  type SessionFlags,
  sessionStoreFor,
  withSession,
  workspaceOf,
} from "./find-session.ts";
import { type ModeFlags, readMode } from "./read-mode.ts";
import { readStrategy } from "./read-strategy.ts";

export interface CreateFlags extends ModeFlags {
  readonly strategy?: string;
  readonly name?: string;
}

/** Prints only the id, for scripts. */
export async function createSessionFor(io: Io, flags: CreateFlags): Promise<ExitCode> {
  const strategy = readStrategy(flags.strategy);
  const workspace = workspaceOf(io, flags);
  const store = sessionStoreFor(io, flags);
  const stateDir = openStateDir(store.stateDir, workspace);
  if (flags.name !== undefined) refuseName(stateDir, realPath(workspace), flags.name);
  const progress = createProgress(io, "Copying the project");
  const session = await createSession(workspace, {
    ...store,
    stateDir,
    onProgress: progress.report,
    ...(strategy && { strategy }),
    ...readMode(io, flags),
  }).finally(progress.end);
  session.close();
  const { record } = session;
  if (flags.name !== undefined) renameSession(stateDir, record.id, flags.name);
  printNotes(io, ...mountLines(record.workspace));
  return printMade(io, record, flags);
}

function mountLines(workspace: string): string[] {
  return listMounts(workspace).map(
    (at) => `not shown in the session: the content of the mount at ${showName(at)}`,
  );
}

export async function renameGiven(
  io: Io,
  given: string,
  name: string,
  flags: SessionFlags,
): Promise<ExitCode> {
  const { id, store } = await findSession(io, given, flags);
  renameSession(store.stateDir, id, name);
  if (flags.json === true) printJson(io, { id, name }, true);
  else printLines(io, `The session ${id} is now ${name}.`);
  return 0;
}

export async function forkSession(io: Io, given: string, flags: SessionFlags): Promise<ExitCode> {
  return withSession(io, await findSession(io, given, flags), async (session) =>
    printMade(io, { ...session.record, id: await session.fork() }, flags),
  );
}

function printMade(io: Io, { id, workspace, strategy }: SessionRecord, { json }: SessionFlags): ExitCode {
  if (json === true) printJson(io, { id, workspace, strategy }, true);
  else printLines(io, id);
  return 0;
}

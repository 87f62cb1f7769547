import { openStateDir } from "../../../workspace/files/state-dir.ts";
import type { SessionRecord } from "../../../workspace/layers/record.ts";
import { createSession } from "../../../workspace/session/create-session.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import { createProgress } from "../progress.ts";
import { readStrategy } from "./read-strategy.ts";
import { findSession, placeFor, type SessionFlags, withSession, workspaceOf } from "./session-place.ts";

export interface CreateFlags extends SessionFlags {
  readonly strategy?: string;
}

/** What both print is the id alone, so that a script can keep it. */
export async function createSessionFor(io: Io, flags: CreateFlags): Promise<ExitCode> {
  const strategy = readStrategy(flags.strategy);
  const workspace = workspaceOf(io, flags);
  const place = placeFor(io, flags);
  const progress = createProgress(io, "Copying the project");
  const session = await createSession(workspace, {
    ...place,
    stateDir: openStateDir(place.stateDir, workspace),
    onProgress: progress.report,
    ...(strategy && { strategy }),
  }).finally(progress.end);
  session.close();
  return printMade(io, session.record, flags);
}

export async function forkSession(io: Io, given: string, flags: SessionFlags): Promise<ExitCode> {
  return withSession(io, findSession(io, given, flags), async (session) =>
    printMade(io, { ...session.record, id: await session.fork() }, flags),
  );
}

function printMade(io: Io, { id, workspace, strategy }: SessionRecord, { json }: SessionFlags): ExitCode {
  if (json === true) printJson(io, { id, workspace, strategy }, true);
  else printLines(io, id);
  return 0;
}

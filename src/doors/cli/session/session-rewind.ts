import fs from "node:fs";
import { quote } from "../../../core/quote.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { removeWhole } from "../../../workspace/session/registry/gc.ts";
import type { RewindResult, Session } from "../../../workspace/session/session-types.ts";
import { agree, needYes } from "../ask.ts";
import { counted } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, tellLines, usage } from "../io.ts";
import { callName, linesOf } from "./session-diff.ts";
import { readPaths } from "./session-paths.ts";
import { type FoundSession, findSession, type SessionFlags, withSession } from "./session-place.ts";

export interface RewindFlags extends SessionFlags {
  readonly to?: string;
  readonly undo?: boolean;
}

export interface DiscardFlags extends SessionFlags {
  readonly yes?: boolean;
}

export async function rewindSession(
  io: Io,
  given: string,
  paths: readonly string[],
  { to, undo, ...flags }: RewindFlags,
): Promise<ExitCode> {
  if ((to === undefined) !== (undo === true)) throw usage("Say where to: --to CALL or --undo, one of them.");
  if (undo === true && paths.length > 0)
    throw usage("--undo takes back the whole last rewind: leave the paths out.");
  return withSession(io, findSession(io, given, flags), async (session) => {
    if (to === undefined) {
      await session.undoRewind();
      return printLeft(io, session, flags, true);
    }
    const { commits } = await session.rewind(callName(to), await readPaths(paths, session));
    return printLeft(io, session, flags, true, commits);
  });
}

/** Only what can't be undone is asked for. */
export async function discardChanges(
  io: Io,
  given: string,
  paths: readonly string[],
  { yes, ...flags }: DiscardFlags,
): Promise<ExitCode> {
  const found = findSession(io, given, flags);
  if (paths.length === 0 && !fs.existsSync(found.workspace)) return throwAway(io, found, yes, flags);
  return withSession(io, found, async (session) => {
    const chosen = await readPaths(paths, session);
    if (chosen === undefined) await askForAll(io, session, yes);
    await session.discard(chosen);
    return printLeft(io, session, flags, chosen !== undefined);
  });
}

/** Without its project nothing can be said of a session, nor taken from it. */
async function throwAway(
  io: Io,
  { id, workspace, place }: FoundSession,
  yes: boolean | undefined,
  { json }: SessionFlags,
): Promise<ExitCode> {
  needYes(io, yes, "throw the session away");
  if (yes !== true) {
    tellLines(io, `The project ${quote(workspace)} is not there.`);
    await agree(io, "Throw the session away with all its changes? This can't be undone.", "discard it");
  }
  removeWhole(id, place.stateDir);
  if (json === true) printJson(io, { session: id, changes: 0 }, true);
  else printLines(io, "The session is gone, with all its changes.");
  return 0;
}

async function askForAll(io: Io, session: Session, yes: boolean | undefined): Promise<void> {
  needYes(io, yes, "discard all changes");
  if (yes === true) return;
  tellLines(io, ...linesOf(await session.diff(({ changes }) => statText(changes))));
  await agree(io, "Throw all of it away? This can't be undone.", "discard the changes");
}

async function printLeft(
  io: Io,
  session: Session,
  { json }: SessionFlags,
  canBeUndone: boolean,
  commits?: RewindResult["commits"],
): Promise<ExitCode> {
  const { id } = session.record;
  const changes = await session.diff(({ shown }) => shown.length);
  const undo = canBeUndone ? ` To undo it: hotcell session rewind ${id} --undo` : "";
  if (json === true) {
    printJson(io, { session: id, changes, ...(commits && { commits }) }, true);
    return 0;
  }
  printLines(io, `The session has ${counted(changes, "change")} now.${undo}`);
  for (const tx of commits ?? [])
    printLines(
      io,
      `Commit ${tx} stays in the project. To revert it: hotcell session revert ${id} --tx ${tx}`,
    );
  return 0;
}

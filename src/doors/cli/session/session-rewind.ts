import fs from "node:fs";
import { quote } from "../../../core/quote.ts";
import { apartFromGitData } from "../../../workspace/diff/git-data.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { removeSessionWithLock } from "../../../workspace/session/registry/gc.ts";
import type { SessionDiff } from "../../../workspace/session/session-diff.ts";
import type { RewindResult, Session } from "../../../workspace/session/session-types.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes, usage } from "../io.ts";
import { type FoundSession, findSession, type SessionFlags, withSession } from "./find-session.ts";
import { describeChangeCount, describeGitData } from "./git-data.ts";
import { callName, linesOf } from "./session-diff.ts";
import { readPaths } from "./session-paths.ts";

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
  if ((to === undefined) !== (undo === true)) throw usage("Give --to CALL or --undo.");
  if (undo === true && paths.length > 0) throw usage("--undo undoes the whole last rewind. Omit the paths.");
  return withSession(io, await findSession(io, given, flags), async (session) => {
    if (to === undefined) {
      await session.undoRewind();
      return printLeft(io, session, flags, true);
    }
    const { commits } = await session.rewind(callName(to), await readPaths(paths, session));
    return printLeft(io, session, flags, true, commits);
  });
}

/** Asks only if the operation cannot be undone. */
export async function discardChanges(
  io: Io,
  given: string,
  paths: readonly string[],
  { yes, ...flags }: DiscardFlags,
): Promise<ExitCode> {
  const found = await findSession(io, given, flags);
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
  { id, workspace, store }: FoundSession,
  yes: boolean | undefined,
  { json }: SessionFlags,
): Promise<ExitCode> {
  requireYesFlag(io, yes, "remove the session");
  if (yes !== true) {
    printNotes(io, `The project ${quote(workspace)} does not exist.`);
    await requireConfirmation(
      io,
      "Remove the session with all its changes? This cannot be undone.",
      "discard it",
    );
  }
  await removeSessionWithLock(id, store);
  if (json === true) printJson(io, { session: id, changes: 0 }, true);
  else printLines(io, "The session and all its changes are removed.");
  return 0;
}

async function askForAll(io: Io, session: Session, yes: boolean | undefined): Promise<void> {
  requireYesFlag(io, yes, "discard all changes");
  if (yes === true) return;
  printNotes(io, ...linesOf(await session.diff(describeAll)));
  await requireConfirmation(io, "Discard all changes? This cannot be undone.", "discard the changes");
}

function describeAll({ shown, ignored }: SessionDiff): string {
  const { own, gitData } = apartFromGitData(shown, ({ path }) => path);
  const apart = [
    ...(gitData === 0 ? [] : [`${describeGitData(gitData)}\n`]),
    ...(ignored === 0 ? [] : [`${formatCount(ignored, "ignored file")}\n`]),
  ];
  return `${statText(own)}${apart.join("")}`;
}

function countChanges({ shown }: SessionDiff): { changes: number; gitData: number } {
  const { own, gitData } = apartFromGitData(shown, ({ path }) => path);
  return { changes: own.length, gitData };
}

async function printLeft(
  io: Io,
  session: Session,
  { json }: SessionFlags,
  canBeUndone: boolean,
  commits?: RewindResult["commits"],
): Promise<ExitCode> {
  const { id } = session.record;
  const { changes, gitData } = await session.diff(countChanges);
  const undo = canBeUndone ? ` To undo it: hotcell session rewind ${id} --undo` : "";
  if (json === true) {
    printJson(
      io,
      { session: id, changes, ...(gitData > 0 && { gitData }), ...(commits && { commits }) },
      true,
    );
    return 0;
  }
  printLines(io, `The session now has ${describeChangeCount(changes, gitData)}.${undo}`);
  for (const tx of commits ?? [])
    printLines(
      io,
      `Commit ${tx} stays in the project. To revert it: hotcell session revert ${id} --tx ${tx}`,
    );
  return 0;
}

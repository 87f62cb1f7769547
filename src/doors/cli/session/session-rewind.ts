import fs from "node:fs";
import { quote } from "../../../core/quote.ts";
import { apartFromGitData } from "../../../workspace/diff/git-data.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { LAST, newestSessionId } from "../../../workspace/session/registry/find-session.ts";
import { removeSessionWithLock } from "../../../workspace/session/registry/gc.ts";
import type { SessionDiff } from "../../../workspace/session/session-diff.ts";
import type { RewindResult, Session } from "../../../workspace/session/session-types.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes, usage } from "../io.ts";
import {
  describeSession,
  type FoundSession,
  findLastRewound,
  findSession,
  type SessionFlags,
  withSession,
} from "./find-session.ts";
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
  const isLastUndo = undo === true && given === LAST;
  const found = isLastUndo ? findLastRewound(io, flags) : await findSession(io, given, flags);
  return withSession(io, found, async (session) => {
    if (to === undefined) {
      await session.undoRewind();
      return printLeft(io, { found, session, flags, canBeUndone: true });
    }
    const { commits } = await session.rewind(callName(to), await readPaths(paths, session));
    return printLeft(io, { found, session, flags, canBeUndone: true, commits });
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
    if (chosen === undefined) {
      if (given === LAST) refuseOlder(found);
      await askForAll(io, found, session, yes);
    }
    await session.discard(chosen);
    return printLeft(io, { found, session, flags, canBeUndone: chosen !== undefined });
  });
}

/** After a discard or a commit, `last` is an older session, of which a person may not think. */
function refuseOlder({ id, workspace, store }: FoundSession): void {
  const newest = newestSessionId(store.stateDir, workspace);
  if (newest === undefined || newest === id) return;
  const describe = (session: string) => describeSession({ id: session, store });
  throw usage(
    `Did not discard all changes: "${LAST}" is the session ${describe(id)}, since the newest session, ${describe(newest)}, has no changes. To discard all changes of the former: hotcell session discard ${id}`,
  );
}

/** Without its project nothing can be said of a session, nor taken from it. */
async function throwAway(
  io: Io,
  found: FoundSession,
  yes: boolean | undefined,
  { json }: SessionFlags,
): Promise<ExitCode> {
  const { id, workspace, store } = found;
  const described = describeSession(found);
  requireYesFlag(io, yes, "remove the session");
  if (yes !== true) {
    printNotes(io, `The project ${quote(workspace)} does not exist.`);
    await requireConfirmation(
      io,
      `Remove the session ${described} with all its changes? This cannot be undone.`,
      "discard it",
    );
  }
  await removeSessionWithLock(id, store);
  if (json === true) printJson(io, { session: id, changes: 0 }, true);
  else printLines(io, `The session ${described} and all its changes are removed.`);
  return 0;
}

async function askForAll(
  io: Io,
  found: FoundSession,
  session: Session,
  yes: boolean | undefined,
): Promise<void> {
  requireYesFlag(io, yes, "discard all changes");
  if (yes === true) return;
  printNotes(io, ...linesOf(await session.diff(describeAll)));
  const question = `Discard all changes of the session ${describeSession(found)}? This cannot be undone.`;
  await requireConfirmation(io, question, "discard the changes");
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

interface Left {
  readonly found: FoundSession;
  readonly session: Session;
  readonly flags: SessionFlags;
  readonly canBeUndone: boolean;
  readonly commits?: RewindResult["commits"];
}

async function printLeft(io: Io, { found, session, flags, canBeUndone, commits }: Left): Promise<ExitCode> {
  const { id } = found;
  const { changes, gitData } = await session.diff(countChanges);
  if (flags.json === true) {
    printJson(
      io,
      { session: id, changes, ...(gitData > 0 && { gitData }), ...(commits && { commits }) },
      true,
    );
    return 0;
  }
  printLines(
    io,
    `The session ${describeSession(found)} now has ${describeChangeCount(changes, gitData)}.`,
    ...(canBeUndone ? [`To undo it: hotcell session rewind ${id} --undo`] : []),
    ...(commits ?? []).map(
      (tx) => `Commit ${tx} stays in the project. To revert it: hotcell session revert ${id} --tx ${tx}`,
    ),
  );
  return 0;
}

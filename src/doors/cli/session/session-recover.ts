import { showName } from "../../../workspace/fs/names.ts";
import { sessionDir } from "../../../workspace/layers/record.ts";
import { findLastCommit } from "../../../workspace/session/commits.ts";
import { findCommitBefore } from "../../../workspace/session/registry/find-session.ts";
import { type Recovered, recoverSessions } from "../../../workspace/session/registry/recover-sessions.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import { printShown } from "../print-shown.ts";
import {
  describeSession,
  type FoundSession,
  findLastCommitted,
  findSession,
  type SessionFlags,
  sessionStoreFor,
  withSession,
} from "./find-session.ts";

export async function recoverCommits(
  io: Io,
  given: string | undefined,
  flags: SessionFlags,
): Promise<ExitCode> {
  const recovered = await recoverSessions(
    sessionStoreFor(io, flags),
    given && (await findSession(io, given, flags)).id,
  );
  if (flags.json === true) printJson(io, recovered, true);
  else if (recovered.length === 0) printLines(io, "Nothing to recover.");
  else printLines(io, ...recovered.map(describe));
  return recovered.some(({ result }) => result === "failed") ? 1 : 0;
}

function describe({ session, tx, result, problem }: Recovered): string {
  if (result === "failed") return `${session}: commit ${tx} could not be recovered. ${problem}`;
  return `${session}: commit ${tx} was ${result}`;
}

/** Reverts in the session whose commit to this project was the last one. */
export function undoLastCommit(io: Io, flags: SessionFlags): Promise<ExitCode> {
  return revertFound(io, findLastCommitted(io, flags), flags);
}

export interface RevertFlags extends SessionFlags {
  readonly tx?: string;
}

/** Exit 1 when something was changed since, and so stays. */
export async function revertInProject(io: Io, given: string, flags: RevertFlags): Promise<ExitCode> {
  return revertFound(io, await findSession(io, given, flags), flags);
}

async function revertFound(io: Io, found: FoundSession, flags: RevertFlags): Promise<ExitCode> {
  return withSession(io, found, async (session) => {
    const tx = flags.tx ?? findLastCommit(sessionDir(found.store.stateDir, found.id));
    const { reverted, changed } = await session.revert(tx);
    if (flags.json === true) printShown(io, { session: session.record.id, reverted, changed });
    else
      printLines(
        io,
        ...reverted.map((path) => `reverted  ${showName(path)}`),
        ...changed.map(
          (path) => `stays     ${showName(path)}: changed since commit ${tx}; the project's version stays`,
        ),
        ...(reverted.length + changed.length === 0
          ? ["Nothing to revert: the commit is already reverted."]
          : []),
        ...(reverted.length > 0
          ? [`The session ${describeSession(found)} has the reverted changes again.`]
          : []),
        ...(changed.length > 0 ? describeCommitBefore(found, tx) : []),
      );
    return changed.length > 0 ? 1 : 0;
  });
}

/** The last commit cannot be reverted fully: without a number, a revert is about it again. */
function describeCommitBefore({ id, workspace, store }: FoundSession, tx: string | undefined): string[] {
  if (tx === undefined) return [];
  const before = findCommitBefore(store.stateDir, workspace, { id, tx });
  if (before === undefined) return [];
  return [`To revert the commit before it: hotcell session revert ${before.id} --tx ${before.tx}`];
}

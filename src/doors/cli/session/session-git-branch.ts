import { quote } from "../../../core/quote.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { requireConfirmation, requireYesFlag } from "../ask.ts";
import { formatCount } from "../figures.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines, printNotes, usage } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { lostLines, secretLines } from "./commit-text.ts";
import { findSession, withSession } from "./find-session.ts";
import type { CommitFlags } from "./session-commit.ts";

/** `session commit --git-branch NAME`: takes the agent's own commits, and no other change. */
export async function commitAsBranch(
  io: Io,
  given: string,
  paths: readonly string[],
  { gitBranch: branch = "", ...flags }: CommitFlags,
): Promise<ExitCode> {
  const { patch, hunk, dryRun, plan, onConflict } = flags;
  if (paths.length > 0 || [patch, hunk, dryRun, plan, onConflict].some((flag) => flag !== undefined))
    throw usage("--git-branch takes whole commits: only --protected, --yes and --json go with it.");
  requireYesFlag(io, flags.yes, "commit");
  return withSession<ExitCode>(io, await findSession(io, given, flags), async (session) => {
    const { workspace } = session.record;
    if (flags.yes !== true)
      await requireConfirmation(io, `Create the branch ${quote(branch)} in ${workspace}?`, "commit");
    const options = { allowProtected: flags.protected === true };
    const result = await interruptible("commit", (signal) =>
      session.commitGitBranch(branch, options, signal),
    );
    printNotes(io, ...lostLines(result), ...secretLines(result));
    if (flags.json === true) printShown(io, { session: session.record.id, ...result });
    else
      printLines(
        io,
        `Created the branch ${showName(branch)} in ${workspace} with ${formatCount(result.commits, "new commit")}.`,
      );
    return 0;
  });
}

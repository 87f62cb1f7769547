// The decision about the changes of a program: by hunk, all, later, or none.
import { HotcellError } from "../../../core/errors.ts";
import { makeVisible } from "../../../core/quote.ts";
import type { CommitResult } from "../../../workspace/commit/run-commit.ts";
import { type Io, printNotes } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { describeCommitted, skippedLines } from "../session/commit-text.ts";
import { conflictLines, isUnresolved } from "../session/conflict-text.ts";
import { commitToProject } from "../session/session-commit.ts";
import { discardChanges } from "../session/session-rewind.ts";
import type { RunFlags } from "./run.ts";
import type { ProgramSummary } from "./run-summary.ts";

const QUESTION = "[r]eview by hunk, [c]ommit all, [k]eep in the session, [d]iscard? ";

/** False if a decision could not be carried out; the session then keeps the changes. */
export async function reviewRun(
  io: Io,
  { session, exitCode }: ProgramSummary,
  flags: RunFlags,
): Promise<boolean> {
  if (session === null) return true;
  const isAsked = io.interactive && !flags.keep && !flags.json && !flags.yesCommit;
  const key = isAsked ? await io.askKey(QUESTION, "rckd") : "k";
  if (flags.yesCommit && exitCode !== 0) printNotes(io, "Not committed, because of the program's status.");
  try {
    return await carryOut(io, key, session, flags);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    io.err(`hotcell: ${makeVisible(error.message)}\n`);
    printKept(io, session);
    return error.code === "DENIED";
  }
}

/** Prints what --yes-commit committed. False if something is left because of a conflict. */
export function printCommit(io: Io, { session }: ProgramSummary, result: CommitResult): boolean {
  const asked = { id: session!, onConflict: "abort" } as const;
  const { conflicts, skipped, committed } = result;
  printNotes(
    io,
    ...conflictLines(conflicts, asked),
    ...skippedLines(skipped),
    `Committed ${describeCommitted(committed)}.`,
  );
  return !conflicts.some(isUnresolved);
}

async function carryOut(io: Io, key: string | null, session: string, flags: CellFlags): Promise<boolean> {
  const { stateDir, config } = flags;
  const place = { ...(stateDir !== undefined && { stateDir }), ...(config !== undefined && { config }) };
  switch (key) {
    case "r":
      return (await commitToProject(io, session, [], { ...place, patch: true })) === 0;
    case "c":
      return (await commitToProject(io, session, [], { ...place, yes: true })) === 0;
    case "d":
      return (await discardChanges(io, session, [], place)) === 0;
    default:
      printKept(io, session);
      return true;
  }
}

function printKept(io: Io, session: string): void {
  printNotes(
    io,
    `Kept in session ${session}. Review: hotcell session diff ${session}; commit: hotcell session commit ${session} -p; continue: hotcell run --session ${session}`,
  );
}

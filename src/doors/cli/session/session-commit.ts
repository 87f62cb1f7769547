import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import type { CommitPlan, Conflict, ConflictPolicy } from "../../../workspace/commit/plan/plan.ts";
import { type Picked, pickChanges, type Selection } from "../../../workspace/commit/plan/selection.ts";
import type { CommitResult } from "../../../workspace/commit/run-commit.ts";
import type { Change } from "../../../workspace/diff/changes.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { CONFLICT_POLICIES, type SessionCommitOptions } from "../../../workspace/session/commit-options.ts";
import type { Session } from "../../../workspace/session/session-types.ts";
import { agree, isAgreed, needYes } from "../ask.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines, tellLines, usage } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { createProgress } from "../progress.ts";
import { isHeldBack, ownerLines, planLines, resultLine, skippedLines } from "./commit-text.ts";
import { type Asked, conflictLines, isUnsettled } from "./conflict-text.ts";
import { pickHunks } from "./pick-hunks.ts";
import { linesOf } from "./session-diff.ts";
import { readPaths } from "./session-paths.ts";
import { findSession, type SessionFlags, withSession } from "./session-place.ts";

export interface CommitFlags extends SessionFlags {
  readonly patch?: boolean;
  readonly hunk?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly protected?: boolean;
  readonly onConflict?: string;
  readonly plan?: string;
}

/** One run of the command on an open session. */
interface Committing {
  readonly io: Io;
  readonly session: Session;
  readonly flags: CommitFlags;
  readonly asked: Asked;
}

/** The session stays locked while the person is asked: what was shown is what is committed. */
export async function commitToProject(
  io: Io,
  given: string,
  paths: readonly string[],
  flags: CommitFlags,
): Promise<ExitCode> {
  const onConflict = readPolicy(flags.onConflict);
  refuseUnaskable(io, flags);
  return withSession(io, findSession(io, given, flags), async (session) => {
    const run = { io, session, flags, asked: { id: session.record.id, onConflict } };
    const selection = await choose(run, paths);
    const wanted = { selection, onConflict, allowProtected: flags.protected === true };
    const plan = await planFor(session, wanted);
    if (flags.dryRun === true) return printPlan(run, plan);
    tellLines(io, ...ownerLines(plan));
    const agreed = await askFor(run, wanted, plan);
    const progress = createProgress(io, "Committing");
    const commit = (signal: AbortSignal) =>
      session.commit(agreed, { onProgress: progress.report }, signal).finally(progress.end);
    return printResult(run, await interruptible("commit", commit).catch(sayWhatWasSeen(flags)));
  });
}

function planFor(session: Session, wanted: SessionCommitOptions): Promise<CommitPlan> {
  return interruptible("commit", (signal) => session.plan(wanted, signal));
}

function changesFor(session: Session, selection: Selection): Promise<Picked[]> {
  return interruptible("commit", (signal) =>
    session.diff(({ changes }) => pickChanges(changes, selection), undefined, signal),
  );
}

function readPolicy(given = "abort"): ConflictPolicy {
  const policy = CONFLICT_POLICIES.find((known) => known === given);
  if (policy === undefined)
    throw usage(`--on-conflict is ${quote(given)}; allowed are ${CONFLICT_POLICIES.join(", ")}.`);
  return policy;
}

function refuseUnaskable(io: Io, { patch, hunk, dryRun, yes }: CommitFlags): void {
  if (patch === true && hunk !== undefined)
    throw usage("-p asks for hunks, and --hunk names them: choose one.");
  if (patch === true && !io.interactive)
    throw usage(
      "-p needs a terminal to ask in. Without one name the hunks: --hunk ID, from session diff --json.",
    );
  if (dryRun !== true) needYes(io, yes, "commit");
}

async function choose({ io, session, flags }: Committing, given: readonly string[]): Promise<Selection> {
  const { patch, hunk: hunks = [] } = flags;
  const paths = await readPaths(given, session);
  const selection: Selection = paths || hunks.length > 0 ? { paths: paths ?? [], hunks } : "all";
  if (patch !== true) return selection;
  const picked = await changesFor(session, selection);
  return pickHunks(
    io,
    picked.map(({ change }) => change),
  );
}

type Wanted = SessionCommitOptions & { readonly selection: Selection };

/** What the person says yes to: the plan as it is, or one with what needs its own yes. */
async function askFor(run: Committing, wanted: Wanted, plan: CommitPlan): Promise<SessionCommitOptions> {
  const { io, session, flags } = run;
  // Who says yes beforehand has not seen the plan.
  if (flags.yes === true && flags.plan === undefined) return wanted;
  const asPlanned = { ...wanted, planHash: flags.plan ?? plan.hash };
  if (flags.yes === true || isHindered(plan, asPlanned.planHash)) return asPlanned;
  if (plan.steps.length > 0 && flags.patch !== true) await askForPlan(run, wanted.selection, plan);
  if (flags.plan !== undefined || !(await isHeldAgreed(io, plan))) return asPlanned;
  const withHeld = { ...wanted, allowProtected: true };
  return { ...withHeld, planHash: (await planFor(session, withHeld)).hash };
}

/** Nothing would be written: the commit says why, and there is nothing to ask. */
function isHindered({ hash, obstacles, conflicts }: CommitPlan, agreed: string): boolean {
  return hash !== agreed || obstacles.length > 0 || conflicts.some(({ resolution }) => resolution === "none");
}

async function askForPlan(
  { io, session, asked }: Committing,
  selection: Selection,
  plan: CommitPlan,
): Promise<void> {
  const changes = (await changesFor(session, selection)).map(shownOf);
  tellLines(io, ...linesOf(statText(changes)), ...conflictLines(plan.conflicts, asked));
  await agree(io, `Commit to ${session.record.workspace}?`, "commit");
}

/** A plan that is not the one any more, told to whom saw it. */
function sayWhatWasSeen({ plan }: CommitFlags): (error: unknown) => never {
  return (error) => {
    const isOld = error instanceof HotcellError && error.details.plan !== undefined;
    if (!isOld) throw error;
    const next =
      plan === undefined
        ? "you were shown what it would do. Run it again"
        : "the plan of --plan was made. Run it again with --dry-run for the new one";
    const message = `Could not commit: the session or the project changed since ${next}.`;
    throw new HotcellError(error.code, message, error.details);
  };
}

/** With the lines of the chosen hunks alone. */
function shownOf({ change, hunks }: Picked): Change {
  if (hunks === null) return change;
  const count = (sign: string) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(sign)).length;
  return { ...change, hunks, added: count("+"), removed: count("-") };
}

async function isHeldAgreed(io: Io, { skipped }: CommitPlan): Promise<boolean> {
  const held = skipped.filter(isHeldBack);
  if (held.length === 0) return false;
  tellLines(
    io,
    "These run by themselves, on this machine or another:",
    ...held.map(({ path }) => `  ${showName(path)}`),
  );
  return isAgreed(io, "Commit them too?");
}

function printPlan({ io, flags, asked }: Committing, plan: CommitPlan): ExitCode {
  tellLines(io, ...conflictLines(plan.conflicts, asked), ...skippedLines(plan.skipped), ...ownerLines(plan));
  if (flags.json === true) printShown(io, plan);
  else printLines(io, ...planLines(plan));
  return plan.obstacles.length > 0 ? 1 : exitOf(plan.conflicts);
}

function printResult({ io, session: { record }, flags, asked }: Committing, result: CommitResult): ExitCode {
  tellLines(io, ...conflictLines(result.conflicts, asked), ...skippedLines(result.skipped));
  if (flags.json === true) printShown(io, { session: record.id, ...result });
  else printLines(io, resultLine(result, record));
  return exitOf(result.conflicts);
}

const exitOf = (conflicts: readonly Conflict[]): ExitCode => (conflicts.some(isUnsettled) ? 1 : 0);

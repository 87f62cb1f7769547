import { HotcellError } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import type { CommitPlan, Conflict, ConflictPolicy } from "../../../workspace/commit/plan/plan.ts";
import {
  type SelectedChange,
  type Selection,
  selectChanges,
} from "../../../workspace/commit/plan/selection.ts";
import type { CommitResult } from "../../../workspace/commit/run-commit.ts";
import type { Change, Hunk } from "../../../workspace/diff/changes.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { CONFLICT_POLICIES, type SessionCommitOptions } from "../../../workspace/session/commit-options.ts";
import type { Session } from "../../../workspace/session/session-types.ts";
import { confirm, requireConfirmation, requireYesFlag } from "../ask.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines, printNotes, usage } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { createProgress } from "../progress.ts";
import {
  lostLines,
  needsConfirmation,
  ownerLines,
  planLines,
  resultLine,
  skippedLines,
} from "./commit-text.ts";
import { type ConflictContext, conflictLines, isUnresolved, shellWord } from "./conflict-text.ts";
import { findSession, type SessionFlags, withSession } from "./find-session.ts";
import { pickHunks } from "./pick-hunks.ts";
import { linesOf } from "./session-diff.ts";
import { readPaths } from "./session-paths.ts";

export interface CommitFlags extends SessionFlags {
  readonly patch?: boolean;
  readonly hunk?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly protected?: boolean;
  readonly onConflict?: string;
  readonly plan?: string;
  readonly gitBranch?: string;
}

/** One run of the command on an open session. */
interface Committing {
  readonly io: Io;
  readonly session: Session;
  readonly flags: CommitFlags;
  readonly asked: ConflictContext;
}

/** The session stays locked during the question, so the commit is exactly the plan that was shown. */
export async function commitToProject(
  io: Io,
  given: string,
  paths: readonly string[],
  flags: CommitFlags,
): Promise<ExitCode> {
  const onConflict = readPolicy(flags.onConflict ?? (flags.patch === true ? "merge" : "abort"));
  const found = await findSession(io, given, flags);
  refuseUnaskable(io, flags);
  return withSession(io, found, async (session) => {
    const run = { io, session, flags, asked: { id: session.record.id, onConflict } };
    const selection = await choose(run, paths);
    const wanted = { selection, onConflict, allowProtected: flags.protected === true };
    const plan = await planFor(session, wanted);
    if (flags.dryRun === true) return printPlan(run, plan);
    printNotes(io, ...ownerLines(plan), ...lostLines(plan));
    const agreed = await askFor(run, wanted, plan);
    const progress = createProgress(io, "Committing");
    const commit = (signal: AbortSignal) =>
      session.commit(agreed, { onProgress: progress.report }, signal).finally(progress.end);
    const conflicting = await changesAt(session, plan.conflicts);
    const result = await interruptible("commit", commit).catch(reportUncommitted(run, selection, agreed));
    if (flags.patch === true && result.conflicts.some(isUnresolved))
      printNotes(io, sameAgain(run, selection, agreed));
    return printResult(run, result, conflicting);
  });
}

function planFor(session: Session, wanted: SessionCommitOptions): Promise<CommitPlan> {
  return interruptible("commit", (signal) => session.plan(wanted, signal));
}

function changesFor(session: Session, selection: Selection): Promise<SelectedChange[]> {
  return interruptible("commit", (signal) =>
    session.diff(({ changes }) => selectChanges(changes, selection), undefined, signal),
  );
}

function readPolicy(given: string): ConflictPolicy {
  const policy = CONFLICT_POLICIES.find((known) => known === given);
  if (policy === undefined)
    throw usage(`--on-conflict is ${quote(given)}; allowed are ${CONFLICT_POLICIES.join(", ")}.`);
  return policy;
}

function refuseUnaskable(io: Io, { patch, hunk, dryRun, yes }: CommitFlags): void {
  if (patch === true && hunk !== undefined) throw usage("-p and --hunk both select hunks. Use one of them.");
  if (patch === true && !io.interactive)
    throw usage(
      "-p needs a terminal. Without a terminal, name the hunks: --hunk ID, from session diff --json.",
    );
  if (dryRun !== true) requireYesFlag(io, yes, "commit");
}

async function choose(
  { io, session, flags, asked }: Committing,
  given: readonly string[],
): Promise<Selection> {
  const { patch, hunk: hunks = [] } = flags;
  const paths = await readPaths(given, session);
  const selection: Selection = paths || hunks.length > 0 ? { paths: paths ?? [], hunks } : "all";
  if (patch !== true) return selection;
  const picked = await changesFor(session, selection);
  return pickHunks(
    io,
    picked.map(({ change }) => change),
    asked.onConflict === "merge" ? (change) => mergeOf(session, change) : null,
  );
}

/** How the merge of one change differs from the project; null if there is none. */
async function mergeOf(session: Session, { path }: Change): Promise<readonly Hunk[] | null> {
  const selection = { paths: [path], hunks: [] };
  const { conflicts } = await planFor(session, { selection, onConflict: "merge", allowProtected: true });
  return conflicts.find((conflict) => conflict.path === path)?.merge ?? null;
}

type Wanted = SessionCommitOptions & { readonly selection: Selection };

/** The confirmed plan: as it is, or with the paths that need confirmation. */
async function askFor(run: Committing, wanted: Wanted, plan: CommitPlan): Promise<SessionCommitOptions> {
  const { io, session, flags } = run;
  // A person who passes --yes has not seen the plan.
  if (flags.yes === true && flags.plan === undefined) return wanted;
  const asPlanned = { ...wanted, planHash: flags.plan ?? plan.hash };
  if (flags.yes === true || isHindered(plan, asPlanned.planHash)) return asPlanned;
  if (plan.steps.length > 0 && flags.patch !== true) await askForPlan(run, wanted.selection, plan);
  if (flags.plan !== undefined || !(await isHeldAgreed(io, plan))) return asPlanned;
  const withHeld = { ...wanted, allowProtected: true };
  return { ...withHeld, planHash: (await planFor(session, withHeld)).hash };
}

/** Whether the commit would write nothing: it then reports the reason without a question. */
function isHindered({ hash, obstacles, conflicts }: CommitPlan, agreed: string): boolean {
  return hash !== agreed || obstacles.length > 0 || conflicts.some(({ resolution }) => resolution === "none");
}

async function askForPlan(
  { io, session, asked }: Committing,
  selection: Selection,
  plan: CommitPlan,
): Promise<void> {
  const merges = new Map(plan.conflicts.map(({ path, merge }) => [path, merge ?? null]));
  const changes = await changesFor(session, selection);
  const written = changes.map(({ change, hunks }) =>
    shownOf({ change, hunks: merges.get(change.path) ?? hunks }),
  );
  const conflicting = changes.map(({ change }) => change);
  printNotes(io, ...linesOf(statText(written)), ...conflictLines(plan.conflicts, asked, conflicting));
  await requireConfirmation(io, `Commit to ${session.record.workspace}?`, "commit");
}

/** The session's changes at the paths of conflicts, with their lines. */
async function changesAt(session: Session, conflicts: readonly Conflict[]): Promise<readonly Change[]> {
  if (conflicts.length === 0) return [];
  const paths = new Set(conflicts.map(({ path }) => path));
  return session.diff(({ changes }) => changes.filter(({ path }) => paths.has(path)));
}

/** After -p, prints the answers as a command, so that the user need not answer them again. */
function reportUncommitted(
  run: Committing,
  selection: Selection,
  agreed: SessionCommitOptions,
): (error: unknown) => never {
  return (error) => {
    if (run.flags.patch === true) printNotes(run.io, sameAgain(run, selection, agreed));
    return sayWhatWasSeen(run.flags)(error);
  };
}

function sameAgain(
  { session, asked }: Committing,
  selection: Selection,
  { allowProtected }: SessionCommitOptions,
): string {
  const { paths, hunks } = selection === "all" ? { paths: [], hunks: [] } : selection;
  const words = [
    ...paths.map(shellWord),
    ...hunks.map((hunk) => `--hunk ${hunk}`),
    `--on-conflict ${asked.onConflict}`,
    ...(allowProtected === true ? ["--protected"] : []),
  ];
  return `To commit what you chose: hotcell session commit ${session.record.id} ${words.join(" ")}`;
}

/** Reports that the plan has changed since the person saw it. */
function sayWhatWasSeen({ plan }: CommitFlags): (error: unknown) => never {
  return (error) => {
    const isOld = error instanceof HotcellError && error.details.plan !== undefined;
    if (!isOld) throw error;
    const next =
      plan === undefined
        ? "hotcell showed the plan. Run the command again"
        : "the plan of --plan was made. Run the command with --dry-run to get the new plan";
    const message = `Could not commit: the session or the project changed since ${next}.`;
    throw new HotcellError(error.code, message, error.details);
  };
}

/** With the lines of the chosen hunks alone. */
function shownOf({ change, hunks }: Pick<SelectedChange, "change" | "hunks">): Change {
  if (hunks === null) return change;
  const count = (sign: string) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(sign)).length;
  return { ...change, hunks, added: count("+"), removed: count("-") };
}

async function isHeldAgreed(io: Io, { skipped }: CommitPlan): Promise<boolean> {
  const held = skipped.filter(needsConfirmation);
  if (held.length === 0) return false;
  printNotes(
    io,
    "These files execute automatically, on this machine or another, or are secrets:",
    ...held.map(({ path }) => `  ${showName(path)}`),
  );
  return confirm(io, "Commit these files too?");
}

async function printPlan({ io, session, flags, asked }: Committing, plan: CommitPlan): Promise<ExitCode> {
  const conflicting = await changesAt(session, plan.conflicts);
  printNotes(
    io,
    ...conflictLines(plan.conflicts, asked, conflicting),
    ...skippedLines(plan.skipped),
    ...ownerLines(plan),
    ...lostLines(plan),
  );
  if (flags.json === true) printShown(io, plan);
  else printLines(io, ...planLines(plan));
  return plan.obstacles.length > 0 ? 1 : exitOf(plan.conflicts);
}

function printResult(
  { io, session: { record }, flags, asked }: Committing,
  result: CommitResult,
  conflicting: readonly Change[],
): ExitCode {
  printNotes(io, ...conflictLines(result.conflicts, asked, conflicting), ...skippedLines(result.skipped));
  if (flags.json === true) printShown(io, { session: record.id, ...result });
  else printLines(io, resultLine(result, record));
  return exitOf(result.conflicts);
}

const exitOf = (conflicts: readonly Conflict[]): ExitCode => (conflicts.some(isUnresolved) ? 1 : 0);

import type { Change } from "../../../workspace/diff/changes.ts";
import { isGitData } from "../../../workspace/diff/git-data.ts";
import { statText, unifiedText } from "../../../workspace/diff/render.ts";
import { touchesGit } from "../../../workspace/diff/shown-changes.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { planSession } from "../../../workspace/session/session-commit.ts";
import { type SessionDiff, withDiff } from "../../../workspace/session/session-diff.ts";
import { formatCount } from "../figures.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines, printNotes, usage } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { AS_BRANCH } from "./commit-text.ts";
import { type FoundSession, findSession, type SessionFlags } from "./find-session.ts";
import { describeGitData } from "./git-data.ts";
import { paintDiff, wantsColour } from "./paint-diff.ts";
import { readPaths } from "./session-paths.ts";

export interface DiffFlags extends SessionFlags {
  readonly stat?: boolean;
  readonly patch?: boolean;
  readonly call?: string;
  readonly all?: boolean;
}

/** Takes no lock, so a person can read the diff while an agent works. */
export async function printDiff(
  io: Io,
  given: string,
  paths: readonly string[],
  flags: DiffFlags,
): Promise<ExitCode> {
  if ([flags.stat, flags.patch, flags.json].filter(Boolean).length > 1)
    throw usage("--stat, --patch and --json exclude each other. Use one of them.");
  const found = await findSession(io, given, flags);
  const call = flags.call === undefined ? {} : { call: callName(flags.call) };
  const chosen = await readPaths(paths, toLookAt(found));
  const showsAll = flags.all === true || flags.json === true || flags.patch === true || paths.length > 0;
  const { changes, gitData, ignored } = await interruptible("show the diff", (signal, end) =>
    withDiff(found.id, { ...found.store, ...call, paths: chosen, all: flags.all, signal }, async (diff) => {
      end();
      const changes = diff.visible.filter(({ path }) => showsAll || !isGitData(path));
      await printChanges(io, { session: found.id, diff, changes }, flags);
      const gitData = showsAll ? 0 : diff.shown.filter(({ path }) => isGitData(path)).length;
      return { changes, gitData, ignored: diff.ignored };
    }),
  );
  const print = flags.stat === true ? printLines : printNotes;
  print(io, ...(await shownApart(changes, found)));
  const contested = changes.filter((change) => change.contested);
  print(io, ...contestedLines(contested, flags), ...gitDataLines(gitData), ...ignoredLines(ignored));
  if (changes.length + gitData + ignored === 0 || (paths.length > 0 && changes.length === 0))
    printNotes(io, noChangesLine(found.id, paths, flags));
  return flags.patch === true && contested.length > 0 ? 1 : 0;
}

function gitDataLines(count: number): string[] {
  return count === 0 ? [] : [`${describeGitData(count)}; for a full diff add --all; ${AS_BRANCH}`];
}

function noChangesLine(session: string, paths: readonly string[], { call }: DiffFlags): string {
  const where =
    call === undefined ? `Session ${session}` : `The call ${callName(call)} of session ${session}`;
  if (paths.length === 0) return `${where} has no changes to review.`;
  return `${where} changed nothing at ${paths.map(showName).join(", ")}.`;
}

function ignoredLines(ignored: number): string[] {
  return ignored === 0 ? [] : [`${formatCount(ignored, "ignored file")}; for a full diff add --all`];
}

function toLookAt({ id, workspace, store }: FoundSession): Parameters<typeof readPaths>[1] {
  return { record: { workspace }, diff: (work) => withDiff(id, store, work) };
}

function contestedLines(contested: readonly Change[], { patch }: DiffFlags): string[] {
  if (contested.length === 0) return [];
  const what =
    patch === true ? "not in the patch, also changed in the project" : "also changed in the project";
  const hint =
    patch === true
      ? "A patch would undo the project's changes. A commit asks, or merges with --on-conflict merge."
      : "The diff shows the project's changes as undone. A commit asks, or merges with --on-conflict merge.";
  return [...contested.map(({ path }) => `${what}: ${showName(path)}`), hint];
}

/** A number alone is the call's place in the session: the `#` before it would begin a comment in a shell. */
export function callName(given: string): string {
  return /^\d+$/.test(given) ? `#${given}` : given;
}

interface Printed {
  readonly session: string;
  readonly diff: SessionDiff;
  /** Those that a person reads. */
  readonly changes: readonly Change[];
}

async function printChanges(io: Io, { session, diff, changes }: Printed, flags: DiffFlags): Promise<void> {
  if (flags.json === true) printShown(io, diffAsJson(session, diff));
  else if (flags.stat === true) printLines(io, ...linesOf(statText(changes)));
  else if (flags.patch === true) printPatch(io, session, diff);
  else await io.page(paintDiff(unifiedText(changes), wantsColour(io, io.outIsTerminal)));
}

function printPatch(io: Io, session: string, diff: SessionDiff): void {
  for (const piece of diff.patch()) if (!io.out(piece)) return;
  const inGit = diff.shown.filter(touchesGit).length;
  if (inGit === 0) return;
  const left = `not in the patch: ${formatCount(inGit, "change")} in .git, which git apply does not accept`;
  printNotes(
    io,
    `${left}. To commit them, confirm them separately: hotcell session commit ${session} --protected`,
  );
}

/** The document of `--json`. */
export function diffAsJson(session: string, { shown, ignored }: Pick<SessionDiff, "shown" | "ignored">) {
  return { session, changes: shown.map(toJson), ignored };
}

function toJson(change: Change) {
  const {
    path,
    kind,
    from,
    binary,
    added,
    removed,
    hunks,
    calls,
    unlisted,
    contested,
    secret,
    leadsOutside,
  } = change;
  return {
    path,
    kind,
    ...(from !== undefined && { from }),
    binary,
    added,
    removed,
    hunks: hunks.map(({ id, header, lines }) => ({ id, header, lines })),
    calls,
    ...(unlisted && { unlisted }),
    ...(secret && { secret }),
    ...(leadsOutside && { leadsOutside }),
    ...(contested && { contested }),
  };
}

export const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

/** Notes about changes that need attention, after the diff. */
async function shownApart(changes: readonly Change[], { id, store }: FoundSession): Promise<string[]> {
  const paths = new Set(changes.map(({ path }) => path));
  const mayNeedYes = ({ path, protection, leadsOutside }: Change) =>
    protection !== null || leadsOutside || /package\.json$/i.test(path);
  const plan = (signal: AbortSignal) => planSession(id, {}, { ...store, signal });
  const { protectedPaths } = changes.some(mayNeedYes)
    ? await interruptible("list the paths that need confirmation", plan)
    : { protectedPaths: [] };
  const ofSecrets = changes.filter(({ protection }) => protection === "credential-source");
  return [
    ...protectedPaths
      .filter((path) => paths.has(path))
      .map((path) => `needs confirmation: ${showName(path)}`),
    ...changes
      .filter(({ secret }) => secret)
      .map(({ path }) => `secret, committed only if you name it, with --protected: ${showName(path)}`),
    ...ofSecrets.map(({ path }) => `mentions secrets: ${showName(path)}`),
  ];
}

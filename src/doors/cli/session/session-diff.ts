import type { Change } from "../../../workspace/diff/changes.ts";
import { statText, unifiedText } from "../../../workspace/diff/render.ts";
import { touchesGit } from "../../../workspace/diff/shown-changes.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { planSession } from "../../../workspace/session/session-commit.ts";
import { type SessionDiff, withDiff } from "../../../workspace/session/session-diff.ts";
import { counted } from "../figures.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines, tellLines, usage } from "../io.ts";
import { printShown } from "../print-shown.ts";
import { paintDiff, wantsColour } from "./paint-diff.ts";
import { type FoundSession, findSession, type SessionFlags } from "./session-place.ts";

export interface DiffFlags extends SessionFlags {
  readonly stat?: boolean;
  readonly patch?: boolean;
  readonly call?: string;
}

/** Takes no lock: a person can look while an agent works. */
export async function printDiff(io: Io, given: string, flags: DiffFlags): Promise<ExitCode> {
  if ([flags.stat, flags.patch, flags.json].filter(Boolean).length > 1)
    throw usage("--stat, --patch and --json are three ways to print a diff: choose one.");
  const found = findSession(io, given, flags);
  const call = flags.call === undefined ? {} : { call: callName(flags.call) };
  const changes = await interruptible("show the diff", (signal, end) =>
    withDiff(found.id, { ...found.place, ...call, signal }, (diff) => {
      end();
      printChanges(io, found.id, diff, flags);
      return diff.changes;
    }),
  );
  const print = flags.stat === true ? printLines : tellLines;
  print(io, ...(await shownApart(changes, found)));
  const contested = changes.filter((change) => change.contested);
  print(io, ...contestedLines(contested, flags));
  return flags.patch === true && contested.length > 0 ? 1 : 0;
}

function contestedLines(contested: readonly Change[], { patch }: DiffFlags): string[] {
  if (contested.length === 0) return [];
  const what =
    patch === true ? "left out of the patch, changed in the project too" : "changed in the project too";
  const hint =
    patch === true
      ? "A patch would undo what the project has there. A commit asks, or merges with --on-conflict merge."
      : "What only the project has there is shown as undone. A commit asks, or merges with --on-conflict merge.";
  return [...contested.map(({ path }) => `${what}: ${showName(path)}`), hint];
}

/** A number alone is the call's place in the session: the `#` before it would begin a comment in a shell. */
export function callName(given: string): string {
  return /^\d+$/.test(given) ? `#${given}` : given;
}

function printChanges(io: Io, session: string, diff: SessionDiff, flags: DiffFlags): void {
  if (flags.json === true) printShown(io, { session, changes: diff.shown.map(toJson) });
  else if (flags.stat === true) printLines(io, ...linesOf(statText(diff.changes)));
  else if (flags.patch === true) printPatch(io, session, diff);
  else io.out(paintDiff(unifiedText(diff.changes), wantsColour(io, io.outIsTerminal)));
}

function printPatch(io: Io, session: string, diff: SessionDiff): void {
  for (const piece of diff.patch()) if (!io.out(piece)) return;
  const inGit = diff.shown.filter(touchesGit).length;
  if (inGit === 0) return;
  const left = `left out of the patch: ${counted(inGit, "change")} in .git, which git apply does not take`;
  tellLines(
    io,
    `${left}. A commit takes them, with a yes of their own: hotcell session commit ${session} --protected`,
  );
}

function toJson({ path, kind, from, binary, added, removed, hunks, calls, contested }: Change) {
  return {
    path,
    kind,
    ...(from !== undefined && { from }),
    binary,
    added,
    removed,
    hunks: hunks.map(({ id, header, lines }) => ({ id, header, lines })),
    calls,
    ...(contested && { contested }),
  };
}

export const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

/** What deserves a second look, under the rest. */
async function shownApart(changes: readonly Change[], { id, place }: FoundSession): Promise<string[]> {
  const paths = new Set(changes.map(({ path }) => path));
  const mayNeedYes = ({ path, protection }: Change) => protection !== null || /package\.json$/i.test(path);
  const plan = (signal: AbortSignal) => planSession(id, {}, { ...place, signal });
  const { protectedPaths } = changes.some(mayNeedYes)
    ? await interruptible("say what needs its own yes", plan)
    : { protectedPaths: [] };
  const ofSecrets = changes.filter(({ protection }) => protection === "credential-source");
  return [
    ...protectedPaths.filter((path) => paths.has(path)).map((path) => `needs its own yes: ${showName(path)}`),
    ...ofSecrets.map(({ path }) => `speaks of secrets: ${showName(path)}`),
  ];
}

// Describes the conflicts of a commit to a person: both versions, the result and the next step.
import type { Conflict, ConflictPolicy } from "../../../workspace/commit/plan/plan.ts";
import type { Change, Hunk } from "../../../workspace/diff/changes.ts";
import { showName } from "../../../workspace/fs/names.ts";

/** The session, and the policy for its conflicts. */
export interface ConflictContext {
  readonly id: string;
  readonly onConflict: ConflictPolicy;
}

type Version = NonNullable<Conflict["project"]>;

/** `changes` are those of the session at the conflicting paths, with their lines. */
export function conflictLines(
  conflicts: readonly Conflict[],
  asked: ConflictContext,
  changes: readonly Change[] = [],
): string[] {
  const hunksAt = new Map(changes.map(({ path, hunks }) => [path, hunks]));
  const hindering = conflicts.filter(({ resolution }) => resolution === "none").map(({ path }) => path);
  return [
    ...conflicts.flatMap((conflict) => [
      `conflict at ${showName(conflict.path)}: ${conflict.reason}; ${fateOf(conflict, asked, hindering)}`,
      ...versionLines(conflict, hunksAt.get(conflict.path) ?? []),
    ]),
    ...(conflicts.some(isUnresolved) ? [nextStep(asked)] : []),
  ];
}

export const isUnresolved = ({ resolution }: Conflict): boolean =>
  resolution === "none" || resolution === "left";

function fateOf(
  { path, resolution }: Conflict,
  { id }: ConflictContext,
  hindering: readonly string[],
): string {
  if (resolution === "none") return "nothing is committed";
  const [first, ...others] = hindering;
  const [becomes, could] = FATES[resolution];
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${could}, but nothing is committed because of ${showName(first)}${more}`;
  }
  if (resolution !== "theirs") return becomes;
  return `${becomes}; to use the project's version in the session: hotcell session discard ${id} ${shellWord(path)}`;
}

/** The result, and the result if no other conflict prevented the commit. */
const FATES: Readonly<Record<Exclude<Conflict["resolution"], "none">, readonly [string, string]>> = {
  left: ["the commit skips it", "the commit could skip it"],
  ours: ["the session's version is taken", "the session's version could be taken"],
  theirs: [
    "the project's version stays in the project, and the session keeps its version",
    "the project's version could stay",
  ],
  merged: ["the versions are merged", "the versions could be merged"],
};

/** A path as a shell takes it, and not for an option. */
export function shellWord(path: string): string {
  const shown = `${path.startsWith("-") ? "./" : ""}${showName(path)}`;
  return /^[\w./@%+,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** With the policies that were not tried. */
function nextStep({ id, onConflict }: ConflictContext): string {
  const left = POLICIES.filter(([policy]) => policy !== onConflict).map(
    ([policy, what]) => `${policy} ${what}`,
  );
  const choice = `${left.slice(0, -1).join(", ")} or ${left.at(-1)}`;
  return `Compare both versions with hotcell session diff ${id}, then add --on-conflict ${choice}.`;
}

const POLICIES: readonly (readonly [ConflictPolicy, string])[] = [
  ["merge", "(both, if they merge cleanly)"],
  ["ours", "(the session's)"],
  ["theirs", "(the project's)"],
  ["skip", "(the rest)"],
];

const MAX_SHOWN_LINES = 20;

/** The lines that differ; for files without lines, such as binary ones, what they are. */
function versionLines({ project, session, merge }: Conflict, hunks: readonly Hunk[]): string[] {
  const lines = (merge ?? hunks).flatMap((hunk) => hunk.lines).filter((line) => /^[-+]/.test(line));
  if (lines.length === 0) return [`  project  ${nameOf(project)}`, `  session  ${nameOf(session)}`];
  const more = lines.length - MAX_SHOWN_LINES;
  return [
    `  - in the project, + ${merge === undefined ? "in the session" : "merged"}:`,
    ...lines.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more} more lines`] : []),
  ];
}

function nameOf(version: Version | null): string {
  return version === null ? "nothing there" : `${version.kind}, mode ${version.mode.toString(8)}`;
}

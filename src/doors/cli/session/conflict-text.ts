// Conflicts of a commit in words for people: both versions, what becomes of them, what can be done.
import type { Conflict, ConflictPolicy } from "../../../workspace/commit/plan/plan.ts";
import { showName } from "../../../workspace/fs/names.ts";

/** Of which session, and what was to be done with conflicts. */
export interface Asked {
  readonly id: string;
  readonly onConflict: ConflictPolicy;
}

type Version = NonNullable<Conflict["project"]>;

export function conflictLines(conflicts: readonly Conflict[], asked: Asked): string[] {
  const hindering = conflicts.filter(({ resolution }) => resolution === "none").map(({ path }) => path);
  return [
    ...conflicts.flatMap((conflict) => [
      `conflict at ${showName(conflict.path)}: ${conflict.reason}; ${fateOf(conflict, asked, hindering)}`,
      `  project  ${nameOf(conflict.project)}`,
      `  session  ${nameOf(conflict.session)}`,
    ]),
    ...(conflicts.some(isUnsettled) ? [nextStep(asked)] : []),
  ];
}

export const isUnsettled = ({ resolution }: Conflict): boolean =>
  resolution === "none" || resolution === "left";

function fateOf({ path, resolution }: Conflict, { id }: Asked, hindering: readonly string[]): string {
  if (resolution === "none") return "nothing is committed";
  const [first, ...others] = hindering;
  const [becomes, could] = FATES[resolution];
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${could}, but nothing is committed because of ${showName(first)}${more}`;
  }
  if (resolution !== "theirs") return becomes;
  return `${becomes}; to take the project's into the session: hotcell session discard ${id} ${shellWord(path)}`;
}

/** What becomes of it, and what could if nothing else were in the way. */
const FATES: Readonly<Record<Exclude<Conflict["resolution"], "none">, readonly [string, string]>> = {
  left: ["it is left out", "it could be left out"],
  ours: ["the session's version is taken", "the session's version could be taken"],
  theirs: ["the project's version stays, the session keeps its own", "the project's version could stay"],
  merged: ["both are merged", "both could be merged"],
};

/** A path as a shell takes it, and not for an option. */
function shellWord(path: string): string {
  const shown = `${path.startsWith("-") ? "./" : ""}${showName(path)}`;
  return /^[\w./@%+,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** With the policies that were not tried. */
function nextStep({ id, onConflict }: Asked): string {
  const left = POLICIES.filter(([policy]) => policy !== onConflict).map(
    ([policy, what]) => `${policy} ${what}`,
  );
  const choice = `${left.slice(0, -1).join(", ")} or ${left.at(-1)}`;
  return `Look at both versions with hotcell session diff ${id}, then add --on-conflict ${choice}.`;
}

const POLICIES: readonly (readonly [ConflictPolicy, string])[] = [
  ["merge", "(both, where that is clean)"],
  ["ours", "(the session's)"],
  ["theirs", "(the project's)"],
  ["skip", "(the rest)"],
];

function nameOf(version: Version | null): string {
  if (version === null) return "nothing there";
  const { kind, mode, sha256 } = version;
  return `${kind}, mode ${mode.toString(8)}${sha256 === null ? "" : `, sha256 ${sha256.slice(0, 16)}`}`;
}

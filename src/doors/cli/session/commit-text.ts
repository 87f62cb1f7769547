// A commit and its plan in words for people.

import { stepLines } from "../../../tools/session/describe-plan.ts";
import type { CommitPlan, Skipped } from "../../../workspace/commit/plan/plan.ts";
import type { CommitResult } from "../../../workspace/commit/run-commit.ts";
import { apartFromGitData, isGitData } from "../../../workspace/diff/git-data.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { parentsOf } from "../../../workspace/fs/path-text.ts";
import type { SessionRecord } from "../../../workspace/layers/record.ts";
import type { GitBranchResult } from "../../../workspace/session/commit-git-branch.ts";
import { formatCount } from "../figures.ts";
import { describeChangeCount, describeGitData } from "./git-data.ts";

export function planLines(plan: CommitPlan): string[] {
  return [
    ...stepLines(plan),
    ...plan.obstacles.map(({ path, problem }) => `can't commit ${showName(path)}: ${problem}`),
    `To commit only if the plan is still the same, add --plan ${plan.hash}`,
  ];
}

export function resultLine(
  { tx, committed, conflicts }: CommitResult,
  { id, workspace }: SessionRecord,
): string {
  if (tx === null || committed.length === 0)
    return conflicts.length > 0 ? "Nothing was committed." : "Nothing to commit.";
  return `Committed ${describeCommitted(committed)} to ${workspace}. To revert: hotcell session revert ${id} --tx ${tx}`;
}

/** Counts as a diff does. */
export function describeCommitted(committed: readonly string[]): string {
  const { own, gitData } = apartFromGitData(withoutDirectories(committed), (path) => path);
  return describeChangeCount(own.length, gitData);
}

export function skippedLines(skipped: readonly Skipped[]): string[] {
  const listed = skipped.filter(({ why }) => why !== "same in the project" && why !== IGNORED);
  const ignored = countFiles(skipped.filter(({ why }) => why === IGNORED));
  const inGit = listed.filter(({ path }) => isGitData(path));
  const say = (what: string, why: Skipped["why"]) => `not committed: ${what} (${why}${HINTS.get(why) ?? ""})`;
  return [
    ...listed.filter(({ path }) => !isGitData(path)).map(({ path, why }) => say(showName(path), why)),
    ...[...new Set(inGit.map(({ why }) => why))].map((why) => {
      const count = countFiles(inGit.filter((one) => one.why === why));
      return `${say(describeGitData(count), why)}; ${AS_BRANCH}`;
    }),
    ...(ignored === 0
      ? []
      : [`not committed: ${formatCount(ignored, "ignored file")}; name what you want to commit`]),
  ];
}

function countFiles(skipped: readonly Skipped[]): number {
  return withoutDirectories(skipped.map(({ path }) => path)).length;
}

/** Without the directories that were added or deleted with their content. */
function withoutDirectories(paths: readonly string[]): string[] {
  const above = new Set(paths.flatMap((path) => [...parentsOf(path)]));
  return paths.filter((path) => !above.has(path));
}

/** The better way to take what git wrote. */
export const AS_BRANCH = "take the agent's commits as a branch with hotcell commit --git-branch NAME";

const IGNORED: Skipped["why"] = "ignored by git";

/** How to commit it all the same. */
const HINTS = new Map<Skipped["why"], string>([
  ["needs confirmation", ": --protected"],
  ["secret", ": name it, with --protected"],
  ["would remove secrets from git", ": name .git, with --protected"],
]);

export function lostLines({ lostSecrets }: Pick<CommitPlan, "lostSecrets">): string[] {
  return lostSecrets.map(
    (path) => `git would not track it any more: ${showName(path)} (hidden from commands)`,
  );
}

export function secretLines({ changedSecrets }: Pick<GitBranchResult, "changedSecrets">): string[] {
  return changedSecrets.map((path) => `a secret is in the commits: ${showName(path)}`);
}

export function ownerLines({ changesOwner }: CommitPlan): string[] {
  return changesOwner.map((path) => `new owner is you: ${showName(path)} (only root can keep the owner)`);
}

export const needsConfirmation = ({ why }: Pick<Skipped, "why">): boolean => why === "needs confirmation";

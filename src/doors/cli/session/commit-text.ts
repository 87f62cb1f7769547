// A commit and its plan in words for people.

import type { CommitPlan, Skipped } from "../../../workspace/commit/plan/plan.ts";
import type { CommitResult } from "../../../workspace/commit/run-commit.ts";
import { showName } from "../../../workspace/fs/names.ts";
import type { SessionRecord } from "../../../workspace/layers/record.ts";
import { counted } from "../figures.ts";

export function planLines(plan: CommitPlan): string[] {
  return [
    ...plan.steps.map(({ op, path }) => `${DOES[op]}  ${showName(path)}`),
    ...plan.obstacles.map(({ path, problem }) => `can't commit ${showName(path)}: ${problem}`),
    `To commit only while the plan is still this one, add --plan ${plan.hash}`,
  ];
}

const DOES: Readonly<Record<CommitPlan["steps"][number]["op"], string>> = {
  put: "write ",
  delete: "delete",
  mkdir: "mkdir ",
  rmdir: "rmdir ",
  chmod: "chmod ",
};

export function resultLine(
  { tx, committed, conflicts }: CommitResult,
  { id, workspace }: SessionRecord,
): string {
  if (tx === null || committed.length === 0)
    return conflicts.length > 0 ? "Nothing was committed." : "Nothing to commit.";
  return `Committed ${counted(committed.length, "change")} to ${workspace}. To take it back: hotcell session revert ${id} --tx ${tx}`;
}

export function skippedLines(skipped: readonly Skipped[]): string[] {
  const told = skipped.filter(({ why }) => why !== "same in the project");
  return told.map(
    ({ path, why }) => `left out: ${showName(path)} (${why}${isHeldBack({ why }) ? ": --protected" : ""})`,
  );
}

export function ownerLines({ changesOwner }: CommitPlan): string[] {
  return changesOwner.map((path) => `becomes yours: ${showName(path)} (only root could keep its owner)`);
}

export const isHeldBack = ({ why }: Pick<Skipped, "why">): boolean => why === "needs its own yes";

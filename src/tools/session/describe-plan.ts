// The plan of a commit in words for the person who approves it.
import type { CommitPlan } from "../../workspace/commit/plan/plan.ts";
import type { Change } from "../../workspace/diff/changes.ts";
import { unifiedText } from "../../workspace/diff/render.ts";
import { showName } from "../../workspace/fs/names.ts";

export function stepLines({ steps }: Pick<CommitPlan, "steps">): string[] {
  return steps.map(({ op, path }) => `${DOES[op]}  ${showName(path)}`);
}

const DOES: Readonly<Record<CommitPlan["steps"][number]["op"], string>> = {
  put: "write ",
  delete: "delete",
  mkdir: "mkdir ",
  rmdir: "rmdir ",
  chmod: "chmod ",
};

/** The steps first: a long diff must not push them away. */
export function describePlan(plan: CommitPlan, changes: readonly Change[]): string {
  const paths = new Set(plan.steps.map(({ path }) => path));
  const isCommitted = ({ path, from }: Change) => paths.has(path) || (from !== undefined && paths.has(from));
  return [
    ...(plan.steps.length === 0 ? ["Nothing to commit."] : stepLines(plan)),
    ...plan.conflicts.map(({ path, reason }) => `conflict: ${showName(path)} (${reason})`),
    ...plan.obstacles.map(({ path, problem }) => `can't commit ${showName(path)}: ${problem}`),
    ...plan.skipped.map(({ path, why }) => `not committed: ${showName(path)} (${why})`),
    unifiedText(changes.filter(isCommitted)),
  ].join("\n");
}

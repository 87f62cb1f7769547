import { isLockHeld } from "../../../core/lock.ts";
import { listRuns, runPaths } from "../../../log/runs.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";

/** Runs of sessions that no longer exist, without those whose log is open. */
export function runsWithoutSession(stateDir: string): string[] {
  const sessions = new Set(sessionIds(stateDir));
  return listRuns(stateDir).filter(
    (run) =>
      !run.startsWith("host-") &&
      !sessions.has(run) &&
      !isLockHeld(`${runPaths(stateDir, run).anchorFile}.lock`),
  );
}

import fs from "node:fs";
import path from "node:path";
import { listRuns, runPaths } from "../../../log/runs.ts";
import { sessionIds } from "../../layers/unreferenced-layers.ts";
import { bytesIn } from "./bytes-in.ts";
import { runsWithoutSession } from "./runs-without-session.ts";
import { keptDirs } from "./session-bytes.ts";

/** What a state directory holds. */
export interface StateUse {
  readonly dir: string;
  readonly sessions: number;
  readonly sessionBytes: number;
  /** Of profiles of `hotcell run`. */
  readonly homes: number;
  readonly homeBytes: number;
  /** Of all runs, with `@state`. */
  readonly artifactBytes: number;
  /** Of all runs, with the logs of agent runs. */
  readonly logBytes: number;
  /** Logs of sessions that no longer exist. */
  readonly prunableLogs: number;
}

/** Disk usage of all homes of profiles. */
export function homeBytesOf(stateDir: string): number {
  return bytesIn(path.join(stateDir, "homes"), "closed");
}

function namesIn(dir: string): string[] {
  return fs.existsSync(dir) ? fs.readdirSync(dir) : [];
}

export function measureState(stateDir: string): StateUse {
  const runs = listRuns(stateDir);
  const sum = (dirs: readonly string[]) => dirs.reduce((total, dir) => total + bytesIn(dir), 0);
  const artifactBytes = sum(runs.flatMap((run) => keptDirs(run, stateDir).slice(0, 2)));
  return {
    dir: stateDir,
    sessions: sessionIds(stateDir).length,
    sessionBytes: bytesIn(path.join(stateDir, "sessions")),
    homes: namesIn(path.join(stateDir, "homes")).length,
    homeBytes: homeBytesOf(stateDir),
    artifactBytes,
    logBytes: sum(runs.map((run) => runPaths(stateDir, run).dir)) - artifactBytes,
    prunableLogs: runsWithoutSession(stateDir).length,
  };
}

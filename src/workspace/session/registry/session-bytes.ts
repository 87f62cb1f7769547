// Disk usage of a session: its layers and history, and what its run keeps beside the log.
import path from "node:path";
import { runPaths } from "../../../log/runs.ts";
import { sessionDir } from "../../layers/record.ts";
import { bytesIn } from "./bytes-in.ts";

export interface SessionBytes {
  /** Everything, including artifacts. */
  readonly bytes: number;
  readonly artifactBytes: number;
}

export function measureSession(id: string, stateDir: string): SessionBytes {
  const [artifacts, state] = keptDirs(id, stateDir).map((dir) => bytesIn(dir));
  return { bytes: bytesIn(sessionDir(stateDir, id)) + artifacts! + state!, artifactBytes: artifacts! };
}

/** The directories of a run that nobody needs without its session: artifacts and `@state`. */
export function keptDirs(run: string, stateDir: string): readonly [artifacts: string, state: string] {
  const { artifactsDir, dir } = runPaths(stateDir, run);
  return [artifactsDir, path.join(dir, "state")];
}

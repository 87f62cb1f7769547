// Disk usage of a session: its layers and history, and what its run keeps beside the log.
import path from "node:path";
import { agentDirOf, runPaths } from "../../../log/runs.ts";
import { sessionDir } from "../../layers/record.ts";
import { bytesIn } from "./bytes-in.ts";

export interface SessionBytes {
  /** Everything, including artifacts and recordings. */
  readonly bytes: number;
  readonly artifactBytes: number;
}

export function measureSession(id: string, stateDir: string): SessionBytes {
  const [artifacts, ...others] = keptDirs(id, stateDir);
  const artifactBytes = bytesIn(artifacts);
  const bytes = [sessionDir(stateDir, id), ...others].reduce((sum, dir) => sum + bytesIn(dir), artifactBytes);
  return { bytes: bytes + recordingBytesOf(id, stateDir), artifactBytes };
}

/** The recordings of deterministic calls. They stay with the log when the session is removed. */
export function recordingBytesOf(id: string, stateDir: string): number {
  return bytesIn(runPaths(stateDir, id).recordingsDir);
}

/** The directories of a run that go with its session: artifacts, `@state` and the logs of agent runs. */
export function keptDirs(
  run: string,
  stateDir: string,
): readonly [artifacts: string, state: string, agent: string] {
  const { artifactsDir, dir, logFile } = runPaths(stateDir, run);
  return [artifactsDir, path.join(dir, "state"), agentDirOf(logFile)];
}

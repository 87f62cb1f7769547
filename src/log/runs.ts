// The paths of a run's log, and the runs of a state directory.
import { basename, dirname, join } from "node:path";
import { HotcellError } from "../core/errors.ts";
import { logNamesIn } from "./log-file.ts";

export interface RunPaths {
  /** The run's state directory. */
  readonly dir: string;
  readonly logFile: string;
  readonly artifactsDir: string;
  readonly recordingsDir: string;
  /** Outside the run's state directory, because tools may see that directory. */
  readonly anchorFile: string;
}

const RUN_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

export function runPaths(stateDir: string, runId: string): RunPaths {
  if (!RUN_ID.test(runId))
    throw new HotcellError(
      "USAGE",
      `Could not use the run id "${runId}": an id is up to 128 letters, digits, ".", "_" and "-".`,
    );
  const dir = join(stateDir, "runs", runId);
  return {
    dir,
    logFile: logFileIn(dir),
    artifactsDir: artifactsIn(dir),
    recordingsDir: recordingsIn(dir),
    anchorFile: join(stateDir, "anchors", `${runId}.json`),
  };
}

/** The ids of all runs, including those of which only the anchor is left. */
export function listRuns(stateDir: string): string[] {
  const anchored = logNamesIn(join(stateDir, "anchors")).filter((name) => name.endsWith(".json"));
  const ids = [...logNamesIn(join(stateDir, "runs")), ...anchored.map((name) => basename(name, ".json"))];
  return [...new Set(ids)].filter((id) => RUN_ID.test(id)).sort();
}

export function logFileIn(dir: string): string {
  return join(dir, "logs", "execution.jsonl");
}

export function artifactsIn(dir: string): string {
  return join(dir, "logs", "artifacts");
}

/** Beside the artifacts, which tools can read: recordings have secrets in them. */
export function recordingsIn(dir: string): string {
  return join(dir, "logs", "recordings");
}

/** The directory with the logs of agent runs, for all cells that share it with the one that has this log. */
export function agentDirOf(logFile: string): string {
  const dir = dirname(dirname(logFile));
  return join(dirname(dir), withoutNumber(basename(dir)), "agent");
}

/** This log, and those of cells that were open together with its cell in mode `host`: RUN, RUN.2, RUN.3 and so on. */
export function logsTogetherWith(logFile: string): string[] {
  const dir = dirname(dirname(logFile));
  const isTogether = (name: string) => withoutNumber(name) === withoutNumber(basename(dir));
  return logNamesIn(dirname(dir))
    .filter(isTogether)
    .map((name) => logFileIn(join(dirname(dir), name)));
}

const withoutNumber = (run: string): string => run.replace(/\.\d+$/, "");

import path from "node:path";
import { loadConfig } from "../../../config/load-config.ts";
import { inertJson } from "../../../core/inert-json.ts";
import { isJsonObject } from "../../../core/json.ts";
import { readLog } from "../../../log/read.ts";
import type { LogRecord } from "../../../log/record.ts";
import { listRuns, recordingsIn, runPaths } from "../../../log/runs.ts";
import { type Verification, verifyLog } from "../../../log/verify.ts";
import { formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import type { LogFlags } from "../main.ts";
import { findLog } from "../session/find-session.ts";

export interface LogPlace {
  readonly logFile: string;
  readonly recordingsDir: string;
  /** Null for a log that is not in a state directory. */
  readonly anchorFile: string | null;
}

/** One record at a time: a log may be larger than memory. */
export async function showLogs(io: Io, flags: LogFlags): Promise<ExitCode> {
  const json = flags.json === true;
  let records = 0;
  if (json) io.out("[");
  for (const { logFile } of await findLogs(io, flags)) {
    if (!json) printLines(io, logFile);
    for (const { record, text } of readLog(logFile)) {
      if (json)
        io.out(`${records++ === 0 ? "" : ",\n"}${inertJson({ log: logFile, ...(record ?? { text }) })}`);
      else printLines(io, record === null ? `  not a record: ${text.slice(0, 80)}` : describe(record));
    }
  }
  if (json) io.out("]\n");
  return 0;
}

export async function verifyLogs(io: Io, flags: LogFlags): Promise<ExitCode> {
  const logs = await findLogs(io, flags);
  const results = logs.map(({ logFile, anchorFile }) => ({
    log: logFile,
    anchor: anchorFile,
    ...verifyLog(logFile, anchorFile),
  }));
  if (flags.json === true) printJson(io, results, true);
  else if (results.length === 0) printLines(io, "No log yet: nothing was called.");
  else
    for (const result of results)
      printLines(io, result.log, `  ${explain(result)}`, ...explainWayOut(result));
  return results.every(isWhole) ? 0 : 1;
}

/** Together they can still be verified; a log without its anchor, or an anchor without its log, is never continued. */
function explainWayOut({ log, anchor, ...result }: Verification & { log: string; anchor: string | null }) {
  if (anchor === null || isWhole(result)) return [];
  const logs = path.dirname(log);
  const run = path.basename(path.dirname(logs));
  return [
    "  After you have examined it, move both of these while no cell uses them. Then a new log begins:",
    `    ${logs} to OLD/runs/${run}/logs`,
    `    ${anchor} to OLD/anchors/${run}.json`,
    "  Verify the old log with --state-dir OLD.",
  ];
}

/** Records that a restart lost or added come from a power failure or from a manipulation. A person must decide. */
function isWhole(result: Verification): boolean {
  return result.ok && result.lost === 0 && result.adopted === 0;
}

/** One log, if the flags name one, or all. */
export async function findLogs(io: Io, flags: LogFlags): Promise<LogPlace[]> {
  const { log, session, stateDir } = flags;
  if (log !== undefined) return [placeOf(path.resolve(io.cwd, log))];
  const { stateDir: state } = loadConfig({ env: io.env, flags: { stateDir }, cwd: io.cwd });
  const runs = session === undefined ? listRuns(state) : [await findLog(io, session, flags)];
  return runs.map((run) => runPaths(state, run));
}

/** The anchor of a log that lies where hotcell puts them: STATE/runs/RUN/logs/execution.jsonl. */
function placeOf(logFile: string): LogPlace {
  const dir = path.dirname(path.dirname(logFile));
  const runs = path.dirname(dir);
  const known = path.basename(runs) === "runs" ? runPaths(path.dirname(runs), path.basename(dir)) : null;
  return known?.logFile === logFile ? known : { logFile, anchorFile: null, recordingsDir: recordingsIn(dir) };
}

function describe(record: LogRecord): string {
  const { seq, ts, kind, toolName, outcome, why, output, durationMs } = record;
  const error = isJsonObject(output) && isJsonObject(output.error) ? output.error.code : null;
  const took = typeof durationMs === "number" ? `${durationMs} ms` : null;
  const words = [`  #${seq}`, ts, kind, toolName, outcome, why, error, took];
  return words.filter((word) => typeof word === "string" || typeof word === "number").join("  ");
}

function explain(result: Verification): string {
  if (!result.ok) return `BROKEN (${result.problem}) at ${result.file}:${result.line}. ${result.message}`;
  const { records, head, anchored, lost, adopted, tornBytes, unknown } = result;
  const notes = [
    `${isWhole(result) ? "intact" : "NOT WHOLE"}: ${formatCount(records, "record")}, head ${head.hash.slice(0, 16)}`,
    ...(anchored ? [] : ["no anchor: the end of the log cannot be checked"]),
    ...(lost > 0 ? [`lost before a restart: ${lost} (in a power failure, or cut off)`] : []),
    ...(adopted > 0 ? [`not anchored before a restart: ${adopted} (a power failure, or forged)`] : []),
    ...(tornBytes > 0 ? [`an unfinished last line of ${tornBytes} bytes`] : []),
    ...unknown.map(
      ({ seq, toolName, running }) => `#${seq} ${toolName}: ${running ? "still running" : "outcome unknown"}`,
    ),
  ];
  return notes.join("; ");
}

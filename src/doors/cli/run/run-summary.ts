import { makeVisible } from "../../../core/quote.ts";
import type { RefusedHost } from "../../../core/types.ts";
import { readLog } from "../../../log/read.ts";
import { missingProgramHint } from "../exec.ts";
import { formatAge } from "../figures.ts";
import type { Io } from "../io.ts";
import { describeChangeCount } from "../session/git-data.ts";

export interface ProgramSummary {
  readonly program: string;
  /** Null if it has no changes. */
  readonly session: string | null;
  /** Null if the program did not run. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly changes: number;
  readonly gitData: number;
  readonly stat: string;
  readonly reached: readonly ReachedHost[];
  /** Allowed hosts to which a connection failed, with the last reason. */
  readonly unreached: readonly RefusedHost[];
  readonly refused: readonly RefusedHost[];
  readonly weakened: string | null;
}

export interface ReachedHost {
  readonly host: string;
  readonly connections: number;
}

/** The hosts that a call reached, or could not reach though the rules allow them. A connection is in the log when it has ended, so the cell must be closed. */
export function readHosts(logFile: string, callId: string): Pick<ProgramSummary, "reached" | "unreached"> {
  const reached = new Map<string, number>();
  const unreached = new Map<string, string>();
  for (const { record } of readLog(logFile)) {
    if (record?.kind !== "network.connect" || record.decision !== "allow") continue;
    if (!Array.isArray(record.calls) || !record.calls.includes(callId)) continue;
    const place = `${record.host}:${record.port}`;
    if (typeof record.reason === "string") unreached.set(place, record.reason);
    else reached.set(place, (reached.get(place) ?? 0) + 1);
  }
  return {
    reached: [...reached].map(([host, connections]) => ({ host, connections })),
    unreached: [...unreached].map(([host, reason]) => ({ host, reason })),
  };
}

export function printSummary(io: Io, summary: ProgramSummary): void {
  for (const line of summaryLines(summary)) io.err(`hotcell: ${makeVisible(line)}\n`);
  if (summary.stat !== "") io.err(`${summary.stat.trimEnd()}\n`);
}

function summaryLines(summary: ProgramSummary): string[] {
  const { program, exitCode, durationMs, changes, gitData, session, weakened } = summary;
  const { reached, unreached, refused } = summary;
  const end = exitCode === null ? "did not run" : `ended with ${summary.signal ?? `status ${exitCode}`}`;
  const hosts = reached.map(({ host, connections }) => `${host} (${connections})`).join(", ");
  return [
    ...(weakened === null ? [] : [weakened]),
    `${program} ${end} after ${formatAge(new Date(0).toISOString(), durationMs)}`,
    ...missingProgramHint(exitCode),
    ...(hosts === "" ? [] : [`reached ${hosts}`]),
    ...unreached.map(({ host, reason }) => `could not reach ${host}: ${reason}`),
    ...refused.map(({ host, reason, rule }) =>
      rule === undefined ? `refused ${host}: ${reason}` : `refused ${host}; to allow it: --rule '${rule}'`,
    ),
    session === null ? "changed nothing" : `${describeChangeCount(changes, gitData)} in session ${session}`,
  ];
}

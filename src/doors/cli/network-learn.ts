import { readHostPort } from "../../core/host-name.ts";
import { readLog } from "../../log/read.ts";
import type { LogRecord } from "../../log/record.ts";
import { NO_NETWORK } from "../../policy/judge-network.ts";
import { networkRule } from "../../policy/network-pattern.ts";
import { findLogs } from "./audit/audit.ts";
import { type ExitCode, type Io, printJson, printLines } from "./io.ts";
import type { LogFlags } from "./main.ts";

/** Prints the rules that would have let the session's commands reach the hosts that were refused. */
export async function learnNetwork(
  io: Io,
  session: string,
  flags: Pick<LogFlags, "stateDir" | "json">,
): Promise<ExitCode> {
  const rules = new Set<string>();
  for (const { logFile } of await findLogs(io, { ...flags, session }))
    for (const { record } of readLog(logFile)) {
      const rule = record === null ? null : ruleFor(record);
      if (rule !== null) rules.add(rule);
    }
  const learned = [...rules].sort();
  if (flags.json === true) printJson(io, learned, true);
  else if (learned.length === 0) printLines(io, "No host was refused.");
  else printLines(io, ...learned);
  return 0;
}

/** Null for a record of something else, and for a refusal that no further rule lifts. */
function ruleFor({ kind, decision, rule, host, port }: LogRecord): string | null {
  if (kind !== "network.connect" || decision !== "deny" || rule !== NO_NETWORK) return null;
  const target = readHostPort(`${host}:${port}`);
  return target === null ? null : networkRule(target);
}

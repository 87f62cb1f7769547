import { readHostPort } from "../../core/host-name.ts";
import { readLog } from "../../log/read.ts";
import type { LogRecord } from "../../log/record.ts";
import { NO_NETWORK } from "../../policy/judge-network.ts";
import { networkRule } from "../../policy/network-pattern.ts";
import { findLogs } from "./audit/audit.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes } from "./io.ts";
import type { LogFlags } from "./main.ts";

/** Prints the rules that would have let the session's commands reach the hosts that were refused. */
export async function learnNetwork(
  io: Io,
  session: string,
  flags: Pick<LogFlags, "stateDir" | "json">,
): Promise<ExitCode> {
  const rules = new Set<string>();
  const others = new Map<string, string>();
  for (const { logFile } of await findLogs(io, { ...flags, session }))
    for (const { record } of readLog(logFile)) {
      if (record?.kind !== "network.connect" || record.decision !== "deny") continue;
      const rule = ruleFor(record);
      if (rule !== null) rules.add(rule);
      else others.set(placeOf(record), String(record.reason));
    }
  const learned = [...rules].sort();
  if (flags.json === true) printJson(io, learned, true);
  else if (learned.length > 0) printLines(io, ...learned);
  else if (others.size === 0) printLines(io, "No host was refused.");
  printNotes(io, ...describeOthers([...others]));
  return 0;
}

/** Null for a refusal that no further rule lifts. */
function ruleFor({ rule, host, port }: LogRecord): string | null {
  if (rule !== NO_NETWORK) return null;
  const target = readHostPort(`${host}:${port}`);
  return target === null ? null : networkRule(target);
}

const placeOf = ({ host, port }: LogRecord): string => (port === null ? `${host}` : `${host}:${port}`);

const MAX_SHOWN = 20;

function describeOthers(others: readonly (readonly [string, string])[]): string[] {
  if (others.length === 0) return [];
  const count = others.length === 1 ? "1 host was" : `${others.length} hosts were`;
  const more = others.length - MAX_SHOWN;
  return [
    `${count} refused for a reason that no further rule changes:`,
    ...others.slice(0, MAX_SHOWN).map(([place, reason]) => `  ${place}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

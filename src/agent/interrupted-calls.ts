// After a kill: the calls of the run log that have no result. The execution log tells how far each of them came. None of
// them is run again by itself.
import type { Cell } from "../cell.ts";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { readLog } from "../log/read.ts";
import type { LogRecord } from "../log/record.ts";
import { logsTogetherWith } from "../log/runs.ts";
import type { AgentEvent, AgentEventBody } from "./agent-event.ts";
import { failedResult } from "./result-message.ts";
import { findPendingCalls, type PendingCall } from "./transcript.ts";

type ResultBody = Extract<AgentEventBody, { readonly kind: "call.result" }>;

export interface Interrupted {
  /** What the model is told of each call that began. */
  readonly results: readonly ResultBody[];
  /** The calls that never began: they can still be run. */
  readonly waiting: readonly PendingCall[];
}

export async function findInterrupted(events: readonly AgentEvent[], cell: Cell): Promise<Interrupted> {
  const pending = findPendingCalls(events);
  if (pending.length === 0) return { results: [], waiting: [] };
  const records = recordsOf(new Set(pending.map(({ callId }) => callId)), cell.logFile);
  const results: ResultBody[] = [];
  const waiting: PendingCall[] = [];
  for (const one of pending) {
    const result = await describeCall(one, records.get(one.callId) ?? [], cell);
    if (result === null) waiting.push(one);
    else results.push(result);
  }
  return { results, waiting };
}

function recordsOf(ids: ReadonlySet<string>, logFile: string): ReadonlyMap<string, LogRecord[]> {
  const records = new Map<string, LogRecord[]>();
  // On the host, the run may have had another log than the cell that continues it.
  for (const file of logsTogetherWith(logFile))
    for (const { record } of readLog(file)) {
      const id = record?.toolCallId;
      if (record === null || id === undefined || !ids.has(id)) continue;
      records.set(id, [...(records.get(id) ?? []), record]);
    }
  return records;
}

/** Null for a call that never began. */
async function describeCall(
  { callId, call }: PendingCall,
  records: readonly LogRecord[],
  cell: Cell,
): Promise<ResultBody | null> {
  const ended = records.find(({ kind }) => kind === "tool.exec");
  const began = records.some(({ kind }) => kind === "tool.intent");
  // A call that waited for approval when hotcell stopped has not begun.
  const wasStopped = ended?.why === "cancelled" && !began;
  if (wasStopped || (ended === undefined && !began)) return null;
  const what =
    ended === undefined
      ? "The call was interrupted: it may have done all, a part or nothing of its work."
      : `The call ended (${String(ended.outcome)}), but hotcell was stopped before its result was kept.`;
  const message = failedResult(call, `${what} ${await describeChanges(callId, cell)}`);
  return { kind: "call.result", callId, outcome: "interrupted", message };
}

/** What the call changed in the session, if it changed anything. */
async function describeChanges(callId: string, cell: Cell): Promise<string> {
  if (cell.session === null) return "Look at the files before you call it again.";
  try {
    const text = (await cell.diff({ call: callId })).unified();
    if (text === "") return "It changed no file.";
    const isCut = text.length > LIMITS.maxToldDiffChars;
    return `It changed:\n${isCut ? `${text.slice(0, LIMITS.maxToldDiffChars)}\n[cut]` : text}`;
  } catch (error) {
    if (error instanceof HotcellError && error.code === "NOT_FOUND") return "It changed no file.";
    throw error;
  }
}

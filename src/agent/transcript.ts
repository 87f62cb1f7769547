// The conversation of a run, read from its events. It is well formed at every moment: each call of an answer has exactly
// one result, directly after the answer.
import type { ModelCall, ModelMessage, ToolResultMessage } from "../models/model.ts";
import type { AgentEvent } from "./agent-event.ts";

/** A call of an answer, with its own id. */
export interface PendingCall {
  readonly callId: string;
  readonly call: ModelCall;
}

/** The messages to send to the model. A call without a result gets one that says so. */
export function readTranscript(events: readonly AgentEvent[]): ModelMessage[] {
  const results = readResults(events);
  return events.flatMap((event): ModelMessage[] => {
    if (event.kind === "message") return [event.message];
    if (event.kind !== "answer") return [];
    const { message, callIds } = event;
    if (message.content === "" && message.calls.length === 0 && message.native === undefined) return [];
    const answered = message.calls.map(
      ({ id, name }, at) => results.get(callIds[at]!) ?? { ...NO_RESULT, callId: id, name },
    );
    return [message, ...answered];
  });
}

const NO_RESULT = {
  role: "tool",
  content: "The call was interrupted, and its result is not known.",
  isError: true,
} as const;

/** The calls that have no result in the run log. */
export function findPendingCalls(events: readonly AgentEvent[]): PendingCall[] {
  const results = readResults(events);
  return events.flatMap((event) =>
    event.kind === "answer"
      ? event.message.calls
          .map((call, at) => ({ callId: event.callIds[at]!, call }))
          .filter(({ callId }) => !results.has(callId))
      : [],
  );
}

/** The first result of each call: a call has one, whatever is written later. */
function readResults(events: readonly AgentEvent[]): ReadonlyMap<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (const event of events)
    if (event.kind === "call.result" && !results.has(event.callId)) results.set(event.callId, event.message);
  return results;
}

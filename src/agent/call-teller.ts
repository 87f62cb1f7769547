// Tells what happens to the calls of one answer, as events of the run.
import { StringDecoder } from "node:string_decoder";
import type { AnyObservation, CallEvent } from "../core/types.ts";
import type { AgentEventBody } from "./agent-event.ts";
import type { DeltaCombiner } from "./combine-deltas.ts";

export interface CallTellerParts {
  readonly tell: (body: AgentEventBody) => void;
  readonly tellDelta: DeltaCombiner["add"];
  readonly tellResult: (callId: string, observation: AnyObservation) => void;
}

export function createCallTeller({
  tell,
  tellDelta,
  tellResult,
}: CallTellerParts): (event: CallEvent) => void {
  const decoders = new Map<string, StringDecoder>();
  const decode = (key: string, bytes: Uint8Array): string => {
    const decoder = decoders.get(key) ?? new StringDecoder("utf8");
    decoders.set(key, decoder);
    return decoder.write(bytes);
  };
  return (event) => {
    const { callId, tool } = event;
    if (event.kind === "asked") tell({ ...event, kind: "call.asked" });
    if (event.kind === "answered") tell({ kind: "call.answered", callId, tool, approved: event.approved });
    if (event.kind === "started") tell({ kind: "call.started", callId, tool });
    if (event.kind === "output") {
      const { stream, bytes } = event;
      const text = decode(`${callId} ${stream}`, bytes);
      if (text !== "") tellDelta({ kind: "call.output", callId, tool, stream, text });
    }
    if (event.kind === "ended") tellResult(callId, event.observation);
  };
}

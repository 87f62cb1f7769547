// Reports what happens to the calls of one answer, as events of the run.
import { StringDecoder } from "node:string_decoder";
import type { AnyObservation, CallEvent } from "../core/types.ts";
import type { AgentEventBody } from "./agent-event.ts";
import type { DeltaCombiner } from "./combine-deltas.ts";

export interface CallReporterParts {
  readonly report: (body: AgentEventBody) => void;
  readonly reportDelta: DeltaCombiner["add"];
  readonly reportResult: (callId: string, observation: AnyObservation) => void;
}

export function createCallReporter({
  report,
  reportDelta,
  reportResult,
}: CallReporterParts): (event: CallEvent) => void {
  const decoders = new Map<string, StringDecoder>();
  const decode = (key: string, bytes: Uint8Array): string => {
    const decoder = decoders.get(key) ?? new StringDecoder("utf8");
    decoders.set(key, decoder);
    return decoder.write(bytes);
  };
  return (event) => {
    const { callId, tool } = event;
    if (event.kind === "asked") report({ ...event, kind: "call.asked" });
    if (event.kind === "answered") report({ kind: "call.answered", callId, tool, approved: event.approved });
    if (event.kind === "started") report({ kind: "call.started", callId, tool });
    if (event.kind === "output") {
      const { stream, bytes } = event;
      const text = decode(`${callId} ${stream}`, bytes);
      if (text !== "") reportDelta({ kind: "call.output", callId, tool, stream, text });
    }
    if (event.kind === "ended") reportResult(callId, event.observation);
  };
}

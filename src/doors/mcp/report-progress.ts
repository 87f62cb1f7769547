import type { ServerContext } from "@modelcontextprotocol/server";
import { LIMITS } from "../../core/limits.ts";
import type { CallEvent } from "../../core/types.ts";

/** Notifies the client how far the call is, if its request has a progress token. */
export function createProgressReport({ mcpReq }: ServerContext): (event: CallEvent) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let outputBytes = 0;
  let reported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.kind === "output") outputBytes += event.bytes.length;
    const step = describeStep(event, outputBytes);
    const now = performance.now();
    // The protocol wants each value to be larger than the one before.
    if (step === null || step.progress <= reported || now - reportedAt < LIMITS.mcpProgressEveryMs) return;
    reported = step.progress;
    reportedAt = now;
    // A client that has left gets no progress; the end of its connection cancels the call.
    mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...step } }).catch(() => {});
  };
}

function describeStep(event: CallEvent, outputBytes: number): { progress: number; message: string } | null {
  if (event.kind === "output") return { progress: outputBytes, message: `${outputBytes} bytes of output` };
  if (event.kind !== "progress") return null;
  return { progress: event.files, message: `${event.files} files, ${event.matches} matches` };
}

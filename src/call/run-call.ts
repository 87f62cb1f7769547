// The life of one call, the same for every entry point. `prepare` does steps 1 to 4. This file does steps 5 to 9:
// approve, record the intent, run, observe, record the outcome. A refused call also passes steps 8 and 9.
import { askApproval, type Grant } from "../approval/approve.ts";
import { type Deadline, startDeadline } from "../core/deadline.ts";
import type { AnyObservation, CallRequest, RunMeta } from "../core/types.ts";
import { scopeTimeoutMs } from "../policy/scope.ts";
import type { RunContext } from "../runners/runner.ts";
import type { CallParts } from "./call-parts.ts";
import { createPathCheck } from "./decide.ts";
import { type Ending, endedBy, endedWell } from "./ending.ts";
import type { Ran } from "./in-session.ts";
import { type Observed, observe, unrecorded } from "./observe.ts";
import { isRefused, type PreparedCall, prepare, type RefusedCall } from "./prepare.ts";

export async function runCall(
  request: CallRequest | string,
  parts: CallParts,
  signal: AbortSignal,
): Promise<AnyObservation> {
  const prepared = prepare(request, parts);
  const approved = await approve(prepared, parts, signal);
  return finish(approved, parts, signal);
}

/** A prepared call with every approval that it needs. */
export interface ApprovedCall extends PreparedCall {
  readonly grant: Grant | null;
}

/** Step 5. Never rejects: a denied approval becomes a refused call. */
export async function approve(
  call: PreparedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<ApprovedCall | RefusedCall> {
  if (isRefused(call)) return call;
  const { start, tool, arguments: args, digest, decision } = call;
  const { verdict, paths } = decision;
  if (verdict.decision === "allow") return { start, tool, arguments: args, digest, decision, grant: null };
  const request = { callId: start.id, tool: tool.name, arguments: args, paths, digest, verdict };
  const deadline = startDeadline(null, `${tool.name} (waiting for approval)`, signal);
  try {
    deadline.signal.throwIfAborted();
    const grant = await deadline.wait(askApproval(request, parts.approve, deadline.signal));
    return { start, tool, arguments: args, digest, decision, grant };
  } catch (error) {
    return { start, tool, verdict, error };
  } finally {
    deadline.end();
  }
}

/** Steps 6 to 9. Never rejects: every failure becomes an observation. */
export async function finish(
  call: ApprovedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<AnyObservation> {
  const ending = isRefused(call) ? refusalEnding(call) : await execute(call, parts, signal);
  return recordOutcome(observe(ending, call, parts), call, parts);
}

function refusalEnding({ error, start }: RefusedCall): Ending {
  return endedBy(error, start, null);
}

async function execute(call: ApprovedCall, parts: CallParts, signal: AbortSignal): Promise<Ending> {
  const { tool, start } = call;
  let deadline: Deadline | null = null;
  let intent: number | null = null;
  let told: RunMeta = {};
  const tell = (more: RunMeta) => {
    told = { ...told, ...more };
  };
  try {
    deadline = startDeadline(tool.keepsTime ? null : timeoutOf(call, parts), tool.name, signal);
    deadline.signal.throwIfAborted();
    call.grant?.use(start.id, call.digest);
    intent = recordIntent(call, parts);
    const { settled, changes } = await runUntilDeadline(call, parts, deadline, tell);
    const ending =
      settled.status === "fulfilled"
        ? endedWell(settled.value, intent)
        : endedBy(settled.reason, start, intent);
    return { ...ending, changes, told };
  } catch (error) {
    return { ...endedBy(error, start, intent), told };
  } finally {
    deadline?.end();
  }
}

/** Waits until the deadline. If the tool keeps time itself, the deadline covers only the wait for its start. */
async function runUntilDeadline(
  call: ApprovedCall,
  parts: CallParts,
  { signal, wait }: Deadline,
  tell: (told: RunMeta) => void,
): Promise<Ran> {
  if (!call.tool.keepsTime) return wait(run(call, parts, signal, tell, () => {}));
  let begins = () => {};
  const beginning = new Promise<void>((resolve) => {
    begins = resolve;
  });
  const running = run(call, parts, signal, tell, begins);
  await wait(Promise.race([beginning, running]));
  return running;
}

/** The call may have to wait for a lock, and its signal may abort before it starts. */
function run(
  call: ApprovedCall,
  parts: CallParts,
  signal: AbortSignal,
  tell: (told: RunMeta) => void,
  begins: () => void,
): Promise<Ran> {
  const { tool, start, decision } = call;
  const about = { callId: start.id, tool: tool.name };
  const context: RunContext = {
    signal,
    agentId: parts.agentId,
    timeoutMs: timeoutOf(call, parts),
    tell,
    emit: (stream, bytes) => parts.onEvent?.({ ...about, kind: "output", stream, bytes }),
    progress: (seen) => parts.onEvent?.({ ...about, kind: "progress", ...seen }),
  };
  const runsCommands = tool.needs.includes("commands");
  const running = { id: start.id, tool: tool.name, effect: tool.effect, runsCommands, signal };
  return parts.around(running, async () => {
    signal.throwIfAborted();
    begins();
    const reach = { files: parts.placesOf(tool).files, check: createPathCheck(tool, decision, parts) };
    return parts.runner.run(tool, call.arguments, reach, context);
  });
}

function timeoutOf({ tool }: ApprovedCall, { scope, timeoutMs }: CallParts): number {
  return scopeTimeoutMs(scope, tool.name) ?? tool.timeoutMs ?? timeoutMs;
}

/** Returns the record's number; the outcome record refers to it. */
function recordIntent(
  { start, tool, arguments: input, digest, decision }: ApprovedCall,
  { log, agentId }: CallParts,
): number {
  return log.intent({
    toolCallId: start.id,
    toolName: tool.name,
    agentId,
    input,
    digest,
    rule: decision.verdict.rule,
    changes: tool.effect === "change",
  });
}

/** The error in the toolset's own shape. */
function errorIn(output: object): object {
  return "error" in output ? (output.error as object) : {};
}

/** Writes exactly one record per call. If that fails, the observation becomes a failure that reports it. */
function recordOutcome(
  { observation, output, ending }: Observed,
  call: ApprovedCall | RefusedCall,
  { log, agentId }: CallParts,
): AnyObservation {
  const { start } = call;
  const { outcome, result, details, stack, intent } = ending;
  const verdict = isRefused(call) ? call.verdict : call.decision.verdict;
  try {
    log.exec({
      toolCallId: start.id,
      toolName: start.name,
      agentId,
      intent,
      input: start.input,
      output: result.ok ? output : { ...output, error: { ...result.error, ...errorIn(output), details } },
      outcome,
      rule: verdict?.rule ?? null,
      durationMs: observation.meta.durationMs,
      ...(stack !== undefined && { stack }),
    });
    return observation;
  } catch (error) {
    return unrecorded(observation, error);
  }
}

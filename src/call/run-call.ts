// The life of one call, the same for every door. Steps 1 to 4 are `prepare`; here are 5 to 9:
// approve, record the intent, run, observe, record the outcome. A refused call passes the same last lines.
import { askApproval, type Grant } from "../approval/approve.ts";
import { startDeadline, untilAborted } from "../core/deadline.ts";
import type { CallRequest, Observation, Verdict } from "../core/words.ts";
import { scopeTimeoutMs } from "../policy/scope.ts";
import type { CallParts } from "./call-parts.ts";
import { decide } from "./decide.ts";
import { type Ending, endedBy, endedWell, type Reached } from "./ending.ts";
import { type Observed, observe, unrecorded } from "./observe.ts";
import { denied, isRefused, type PreparedCall, prepare, type RefusedCall } from "./prepare.ts";

export async function runCall(
  request: CallRequest | string,
  parts: CallParts,
  signal: AbortSignal,
): Promise<Observation> {
  const prepared = prepare(request, parts);
  const approved = await approve(prepared, parts, signal);
  return finish(approved, parts, signal);
}

/** A prepared call that everybody who must has said yes to. */
export interface ApprovedCall extends PreparedCall {
  readonly grant: Grant | null;
}

/** Step 5. Never rejects: a no is a refused call. */
export async function approve(
  call: PreparedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<ApprovedCall | RefusedCall> {
  if (isRefused(call)) return call;
  if (call.verdict.decision === "allow") return { ...call, grant: null };
  const { start, tool, arguments: args, digest, verdict } = call;
  const request = { callId: start.id, tool: tool.name, arguments: args, digest, verdict };
  const deadline = startDeadline(null, `${tool.name} (waiting for approval)`, signal);
  try {
    const grant = await untilAborted(askApproval(request, parts.approve, deadline.signal), deadline.signal);
    // While a person thought, a link may have come to lead elsewhere.
    return { ...call, verdict: judgeAgain(call, parts), grant };
  } catch (error) {
    return { start, tool, verdict, error };
  } finally {
    deadline.end();
  }
}

/** Steps 6 to 9. Never rejects: whatever happens is an observation. */
export async function finish(
  call: ApprovedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<Observation> {
  const ending = isRefused(call)
    ? endedBy(call.error, call.start.id, "before it ran")
    : await execute(call, parts, signal);
  const observed = observe(ending, call, parts);
  return recordOutcome(observed, call, parts);
}

async function execute(call: ApprovedCall, parts: CallParts, signal: AbortSignal): Promise<Ending> {
  const { tool, start } = call;
  const deadline = startDeadline(
    scopeTimeoutMs(parts.scope, tool.name) ?? tool.timeoutMs ?? parts.timeoutMs,
    tool.name,
    signal,
  );
  let reached: Reached = "before it ran";
  try {
    deadline.signal.throwIfAborted();
    call.grant?.use(start.id, call.digest);
    recordIntent(call, parts);
    reached = "while it ran";
    return endedWell(
      await untilAborted(parts.runner.run(tool, call.arguments, deadline.signal), deadline.signal),
    );
  } catch (error) {
    return endedBy(error, start.id, reached);
  } finally {
    deadline.end();
  }
}

/** The verdict of now; throws when it has become stricter than the one that the call got. */
export function judgeAgain(call: PreparedCall, parts: CallParts): Verdict {
  const verdict = decide(call.tool, call.arguments, parts);
  const stricter =
    verdict.decision === "deny" || (verdict.decision === "ask" && call.verdict.decision === "allow");
  if (stricter) throw denied(call.tool, verdict);
  return verdict;
}

function recordIntent(
  { start, tool, arguments: input, digest, verdict }: ApprovedCall,
  { log, agentId }: CallParts,
): void {
  const changes = tool.effect === "change";
  log.intent({
    toolCallId: start.id,
    toolName: tool.name,
    agentId,
    input,
    digest,
    rule: verdict.rule,
    changes,
  });
}

/** Exactly one line per call. A result that can't be recorded is given as a failure that says so. */
function recordOutcome(
  { observation, ending }: Observed,
  { start, verdict }: ApprovedCall | RefusedCall,
  { log, agentId }: CallParts,
): Observation {
  const { meta, ...output } = observation;
  const { outcome, result, details, stack } = ending;
  try {
    log.exec({
      toolCallId: start.id,
      toolName: start.name,
      agentId,
      input: start.input,
      output: result.ok ? output : { ...output, error: { ...result.error, details } },
      outcome,
      rule: verdict?.rule ?? null,
      durationMs: meta.durationMs,
      ...(stack !== undefined && { stack }),
    });
    return observation;
  } catch (error) {
    return unrecorded(observation, error);
  }
}

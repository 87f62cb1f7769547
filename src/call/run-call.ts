// The life of one call, the same for every entry point. `prepare` does steps 1 to 4. This file does steps 5 to 9:
// approve, record the intent, run, observe, record the outcome. A refused call also passes steps 8 and 9.
import { type ApprovalRequest, askApproval, type Grant } from "../approval/approve.ts";
import { exactRule } from "../approval/exact-rule.ts";
import { type CallOrigin, REMEMBER_FOR, runOfCall } from "../approval/remembered.ts";
import { type Deadline, startDeadline } from "../core/deadline.ts";
import { LIMITS } from "../core/limits.ts";
import type { AnyObservation, CallRequest, RunMeta, Verdict } from "../core/types.ts";
import { scopeTimeoutMs } from "../policy/scope.ts";
import type { RunnerContext } from "../runners/runner.ts";
import type { CallParts } from "./call-parts.ts";
import { createPathCheck } from "./decide.ts";
import { createFailure, createSuccess, type Ending } from "./ending.ts";
import type { RunResult } from "./in-session.ts";
import { type ObservedCall, observe, withUnrecordedNote } from "./observe.ts";
import { isRefused, type PreparedCall, prepare, type RefusedCall } from "./prepare.ts";
import { type CallPreview, checkStillShown, isStillShown, previewCall } from "./preview/preview.ts";
import type { ProviderCall } from "./read-call-object.ts";

export async function runCall(
  request: CallRequest | ProviderCall | string,
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
  /** What the person saw, if it was a diff. */
  readonly preview: CallPreview | null;
}

/** Step 5. Never rejects: a denied approval becomes a refused call. */
export async function approve(
  call: PreparedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<ApprovedCall | RefusedCall> {
  if (isRefused(call)) return call;
  const { start, tool, digest, decision } = call;
  const origin = originOf(start.id, parts);
  const verdict = rememberedVerdict(call, origin, parts) ?? decision.verdict;
  if (verdict.decision === "allow")
    return { ...call, decision: { ...decision, verdict }, grant: null, preview: null };
  const deadline = startDeadline(null, `${tool.name} (waiting for approval)`, signal);
  let request: ApprovalRequest | null = null;
  let approved = false;
  try {
    deadline.signal.throwIfAborted();
    const preview = await previewCall(call, parts, deadline.signal);
    request = questionOf(call, preview, parts);
    recordQuestion(request, parts);
    const grant = await deadline.wait(askApproval(request, parts.approve, deadline.signal));
    if (grant.remember !== null) parts.remembered.add(tool.name, digest, grant.remember, origin);
    approved = true;
    return { ...call, grant, preview };
  } catch (error) {
    return { start, tool, verdict, error };
  } finally {
    deadline.end();
    if (request !== null) recordAnswer(request, approved, parts);
  }
}

function questionOf(
  { start, tool, arguments: args, digest, decision }: PreparedCall,
  preview: CallPreview | null,
  parts: CallParts,
): ApprovalRequest {
  const { agentId, cell, project } = parts;
  const { verdict, paths, judged } = decision;
  const onlyOnce = judged.protection === "commit" || !isOwnQuestion(verdict);
  const origin = originOf(start.id, parts);
  const place = { agentId, session: cell.session, project };
  const about = { callId: start.id, tool: tool.name, arguments: args, paths, digest, verdict };
  return {
    ...about,
    ...place,
    preview: preview?.text ?? null,
    rememberFor: onlyOnce ? [] : REMEMBER_FOR.filter((kind) => origin[kind] !== null),
    allowRule: exactRule({ ...about, judged }),
  };
}

/** A remembered answer replaces a question of hotcell's own, never one that a configured rule asks. */
function rememberedVerdict(
  { digest, decision: { verdict, judged } }: PreparedCall,
  origin: CallOrigin,
  { remembered }: CallParts,
): Verdict | null {
  if (verdict.decision !== "ask" || !isOwnQuestion(verdict)) return null;
  if (judged.protection === "commit") return null;
  return remembered.find(judged, digest, origin);
}

/** What a rule of the user asks is asked each time. */
const isOwnQuestion = ({ rule }: Verdict): boolean => rule.source === "built-in";

function originOf(callId: string, { cell, project }: CallParts): CallOrigin {
  return { run: runOfCall(callId), session: cell.session, project };
}

function recordQuestion(
  { callId, tool, arguments: args, digest, verdict, preview }: ApprovalRequest,
  { log, onEvent }: CallParts,
): void {
  log.event("approval.asked", { toolCallId: callId, toolName: tool, digest, rule: verdict.rule.text });
  const { reason, rule } = verdict;
  onEvent?.({ callId, tool, kind: "asked", reason, arguments: args, digest, rule: rule.text, preview });
}

/** If an approval can't be recorded, neither can the intent, and the call does not run. */
function recordAnswer(
  { callId, tool }: ApprovalRequest,
  approved: boolean,
  { log, onEvent }: CallParts,
): void {
  try {
    log.event("approval.answered", { toolCallId: callId, toolName: tool, approved });
  } catch {}
  onEvent?.({ callId, tool, kind: "answered", approved });
}

/** Steps 6 to 9. Never rejects: every failure becomes an observation. */
export async function finish(
  call: ApprovedCall | RefusedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<AnyObservation> {
  const isShown = !isRefused(call) && call.preview !== null;
  const current = isShown ? await askAgainIfChanged(call, parts, signal) : call;
  const ending = isRefused(current) ? refusalEnding(current) : await execute(current, parts, signal);
  const observation = recordOutcome(observe(ending, current, parts), current, parts);
  parts.onEvent?.({ callId: call.start.id, tool: call.start.name, kind: "ended", observation });
  return observation;
}

/** An approval holds for the version of the file that the person saw. */
async function askAgainIfChanged(
  call: ApprovedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<ApprovedCall | RefusedCall> {
  let current: ApprovedCall | RefusedCall = call;
  for (let asked = 1; asked < LIMITS.maxQuestions; asked++) {
    if (isRefused(current) || current.preview === null) break;
    try {
      if (await isStillShown(current, current.preview, parts, signal)) break;
    } catch (error) {
      return { start: call.start, tool: call.tool, verdict: call.decision.verdict, error };
    }
    current = await approve(current, parts, signal);
  }
  return current;
}

function refusalEnding({ error, start }: RefusedCall): Ending {
  return createFailure(error, start, null);
}

async function execute(call: ApprovedCall, parts: CallParts, signal: AbortSignal): Promise<Ending> {
  const { tool, start } = call;
  let deadline: Deadline | null = null;
  let intent: number | null = null;
  let meta: RunMeta = {};
  const reportMeta = (more: RunMeta) => {
    meta = { ...meta, ...more };
  };
  try {
    deadline = startDeadline(tool.keepsTime ? null : timeoutOf(call, parts), tool.name, signal);
    deadline.signal.throwIfAborted();
    call.grant?.use(start.id, call.digest);
    intent = recordIntent(call, parts);
    parts.onEvent?.({ callId: start.id, tool: tool.name, kind: "started" });
    const { settled, changes } = await runUntilDeadline(call, parts, deadline, reportMeta);
    const ending =
      settled.status === "fulfilled"
        ? createSuccess(settled.value, intent)
        : createFailure(settled.reason, start, intent);
    return { ...ending, changes, meta };
  } catch (error) {
    return { ...createFailure(error, start, intent), meta };
  } finally {
    deadline?.end();
  }
}

/** Waits until the deadline. If the tool keeps time itself, the deadline covers only the wait for its start. */
async function runUntilDeadline(
  call: ApprovedCall,
  parts: CallParts,
  { signal, wait }: Deadline,
  reportMeta: (meta: RunMeta) => void,
): Promise<RunResult> {
  if (!call.tool.keepsTime) return wait(run(call, parts, signal, reportMeta, () => {}));
  let begins = () => {};
  const beginning = new Promise<void>((resolve) => {
    begins = resolve;
  });
  const running = run(call, parts, signal, reportMeta, begins);
  await wait(Promise.race([beginning, running]));
  return running;
}

/** The call may have to wait for a lock, and its signal may abort before it starts. */
function run(
  call: ApprovedCall,
  parts: CallParts,
  signal: AbortSignal,
  reportMeta: (meta: RunMeta) => void,
  begins: () => void,
): Promise<RunResult> {
  const { tool, start, decision } = call;
  const about = { callId: start.id, tool: tool.name };
  const context: RunnerContext = {
    callId: start.id,
    signal,
    agentId: parts.agentId,
    timeoutMs: timeoutOf(call, parts),
    scopeTimeoutMs: scopeTimeoutMs(parts.scope, tool.name),
    spending: parts.spending ?? null,
    approvedVersion: call.preview?.version ?? null,
    reportMeta,
    emit: (stream, bytes) => parts.onEvent?.({ ...about, kind: "output", stream, bytes }),
    progress: (seen) => parts.onEvent?.({ ...about, kind: "progress", ...seen }),
  };
  const runsCommands = tool.needs.includes("commands");
  const usesFiles = runsCommands || tool.needs.includes("workspace");
  // A read is repeated if the project changed meanwhile: a request to a model or a server must not be.
  const effect = tool.needs.some((need) => REQUESTS.has(need)) ? "change" : tool.effect;
  const running = { id: start.id, tool: tool.name, effect, runsCommands, usesFiles, signal };
  return parts.runInContext(running, async () => {
    signal.throwIfAborted();
    begins();
    if (call.preview !== null) await checkStillShown(call, call.preview, signal);
    const reach = { files: decision.place.files, check: createPathCheck(tool, decision, parts) };
    return parts.runner.run(tool, call.arguments, reach, context);
  });
}

const REQUESTS: ReadonlySet<string> = new Set(["model", "http", "search"]);

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
    changes: tool.effect !== "read",
  });
}

/** The error in the toolset's own shape. */
function errorIn(output: object): object {
  return "error" in output ? (output.error as object) : {};
}

/** Writes exactly one record per call. If that fails, the observation becomes a failure that reports it. */
function recordOutcome(
  { observation, output, ending }: ObservedCall,
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
      recording: observation.meta.wasm?.recording,
      ...(stack !== undefined && { stack }),
    });
    return observation;
  } catch (error) {
    return withUnrecordedNote(observation, error);
  }
}

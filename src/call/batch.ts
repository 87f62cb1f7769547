// The calls of one model turn: judged together, so that all questions are asked at once; then reads side
// by side and changes one after the other, as if the calls had come one by one.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { AnyObservation, CallRequest } from "../core/types.ts";
import type { CallParts } from "./call-parts.ts";
import { isRefused, prepare, type RefusedCall } from "./prepare.ts";
import { type ApprovedCall, approve, finish } from "./run-call.ts";

export async function runBatch(
  requests: readonly (CallRequest | string)[],
  parts: CallParts,
  signal: AbortSignal,
): Promise<AnyObservation[]> {
  if (requests.length > LIMITS.maxBatchCalls) throw tooMany(requests.length);
  const prepared = requests.map((request) => prepare(request, parts));
  const calls = await Promise.all(prepared.map((call) => approve(call, parts, signal)));
  const observations: AnyObservation[] = [];
  for (const group of groupsOf(calls)) {
    observations.push(...(await Promise.all(group.map((call) => finish(call, parts, signal)))));
  }
  return observations;
}

/** Each change alone; the reads between two changes together. */
function groupsOf(calls: readonly (ApprovedCall | RefusedCall)[]): (ApprovedCall | RefusedCall)[][] {
  const groups: (ApprovedCall | RefusedCall)[][] = [];
  let reads: (ApprovedCall | RefusedCall)[] | null = null;
  for (const call of calls) {
    const changes = !isRefused(call) && call.tool.effect === "change";
    if (changes) {
      groups.push([call]);
      reads = null;
    } else if (reads !== null && reads.length < LIMITS.maxParallelReads) reads.push(call);
    else {
      reads = [call];
      groups.push(reads);
    }
  }
  return groups;
}

function tooMany(count: number): HotcellError {
  return new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not run ${count} calls at once: the limit is ${LIMITS.maxBatchCalls}.`,
  );
}

// Runs the calls of one model turn. It judges them together, so hotcell asks all questions at once. Then reads run in
// parallel and changes run one after the other, with the same results as separate calls.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { AnyObservation, CallRequest } from "../core/types.ts";
import type { CallParts } from "./call-parts.ts";
import { isRefused, prepare, type RefusedCall } from "./prepare.ts";
import type { ProviderCall } from "./read-call-object.ts";
import { type ApprovedCall, approve, finish } from "./run-call.ts";

export async function runBatch(
  requests: readonly (CallRequest | ProviderCall | string)[],
  parts: CallParts,
  signal: AbortSignal,
): Promise<AnyObservation[]> {
  if (!Array.isArray(requests))
    throw new HotcellError(
      "INVALID_ARGUMENTS",
      `Could not run the calls: expected a list, got ${quote(requests)}.`,
    );
  if (requests.length > LIMITS.maxBatchCalls) throw tooMany(requests.length);
  const prepared = requests.map((request) => prepare(request, parts));
  const calls = await Promise.all(prepared.map((call) => approve(call, parts, signal)));
  const observations: AnyObservation[] = [];
  for (const group of groupCalls(calls)) {
    observations.push(...(await Promise.all(group.map((call) => finish(call, parts, signal)))));
  }
  return observations;
}

/** Each change is its own group; the reads between two changes share groups. */
function groupCalls(calls: readonly (ApprovedCall | RefusedCall)[]): (ApprovedCall | RefusedCall)[][] {
  const groups: (ApprovedCall | RefusedCall)[][] = [];
  let reads: (ApprovedCall | RefusedCall)[] | null = null;
  for (const call of calls) {
    const changes = !isRefused(call) && call.tool.effect !== "read";
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

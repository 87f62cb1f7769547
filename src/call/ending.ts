// How a call ended, before `observe` shapes the result and limits its size.
import { type ErrorCode, type ErrorDetails, HotcellError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { NotExecutedWhy, Outcome, Result, RunMeta } from "../core/types.ts";
import type { CallStart } from "./prepare.ts";

export interface Ending {
  readonly outcome: Outcome;
  readonly result: Result;
  /** The number of the intent record; null if the call never ran. */
  readonly intent: number | null;
  /** The changes of the call, if known. */
  readonly changes: Json;
  readonly meta: RunMeta;
  /** Details of an error for the log, besides its code and message. */
  readonly details: ErrorDetails;
  /** The stack of an error that is a bug; for the log only. */
  readonly stack?: string;
}

export function createSuccess(output: JsonObject, intent: number): Ending {
  const outcome = { status: "executed_ok" } as const;
  return { outcome, result: { ok: true, output }, intent, changes: null, meta: {}, details: {} };
}

export function createFailure(error: unknown, start: CallStart, intent: number | null): Ending {
  const known = error instanceof HotcellError ? error : internalError(start);
  const { code, message, details, output } = known;
  const result = { ok: false, error: { code, message }, ...(output && { output }) } as const;
  const ending = { outcome: outcomeOf(known, intent), result, intent, changes: null, meta: {}, details };
  return known === error ? ending : { ...ending, stack: stackOf(error) };
}

function internalError({ id, name }: CallStart): HotcellError {
  const message = `${name} failed because of a bug in hotcell or in the tool. The log has the details under call ${quote(id)}.`;
  return new HotcellError("INTERNAL_ERROR", message);
}

/** Any value can be thrown, and its getters may throw too. */
function stackOf(error: unknown): string {
  try {
    return String(error instanceof Error ? (error.stack ?? error.message) : error);
  } catch {
    return "an error that cannot be converted to text";
  }
}

function outcomeOf({ code, details }: HotcellError, intent: number | null): Outcome {
  if (intent !== null) return { status: "executed_error" };
  if (details.why === "truncated" || details.why === "expired")
    return { status: "not_executed", why: details.why };
  return { status: "not_executed", why: WHY.get(code) ?? "denied" };
}

const WHY: ReadonlyMap<ErrorCode, NotExecutedWhy> = new Map([
  ["INVALID_ARGUMENTS", "invalid_args"],
  ["UNKNOWN_TOOL", "unknown_tool"],
  ["CANCELLED", "cancelled"],
]);

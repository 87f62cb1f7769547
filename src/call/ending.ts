// How a call ended, before it is shaped and bounded.
import { type ErrorCode, type ErrorDetails, HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { NotExecutedWhy, Outcome, Result } from "../core/words.ts";

export interface Ending {
  readonly outcome: Outcome;
  readonly result: Result;
  /** What the log says of an error beside its code and message. */
  readonly details: ErrorDetails;
  /** Of an error that is a bug; for the log only. */
  readonly stack?: string;
}

export type Reached = "before it ran" | "while it ran";

export function endedWell(output: JsonObject): Ending {
  return { outcome: { status: "executed_ok" }, result: { ok: true, output }, details: {} };
}

export function endedBy(error: unknown, callId: string, reached: Reached): Ending {
  const known = error instanceof HotcellError ? error : internalError(callId);
  const outcome = outcomeOf(known, reached);
  const ending = {
    outcome,
    result: { ok: false, error: { code: known.code, message: known.message } },
    details: known.details,
  } as const;
  return known === error
    ? ending
    : { ...ending, stack: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function internalError(callId: string): HotcellError {
  return new HotcellError(
    "INTERNAL_ERROR",
    `hotcell failed in a way it should not. The log has the details under call "${callId}".`,
  );
}

function outcomeOf({ code, details }: HotcellError, reached: Reached): Outcome {
  if (reached === "while it ran") return { status: "executed_error" };
  if (details.why === "truncated") return { status: "not_executed", why: "truncated" };
  return { status: "not_executed", why: WHY.get(code) ?? "denied" };
}

const WHY: ReadonlyMap<ErrorCode, NotExecutedWhy> = new Map([
  ["INVALID_ARGUMENTS", "invalid_args"],
  ["UNKNOWN_TOOL", "unknown_tool"],
  ["CANCELLED", "cancelled"],
]);

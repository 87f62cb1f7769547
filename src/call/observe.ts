// Step 8 of a call: shapes the result for its toolset and limits its size. If it is cut, an artifact keeps the whole.
import { checkJsonValue, measureJsonValue } from "../core/check-json-value.ts";
import { HotcellError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type {
  AnyObservation,
  CallMeta,
  MountsObservation,
  Result,
  StudioObservation,
} from "../core/types.ts";
import type { Tool } from "../tools/define-tool.ts";
import { mountsObservation } from "../tools/mounts/observation.ts";
import { sidecarObservation } from "../tools/sidecar/observation.ts";
import { studioObservation } from "../tools/studio/observation.ts";
import type { CallParts } from "./call-parts.ts";
import { createFailure, type Ending } from "./ending.ts";
import { plainText } from "./observation-text.ts";
import type { CallStart } from "./prepare.ts";

export interface ObservedCall {
  readonly observation: AnyObservation;
  /** The observation without its meta. */
  readonly output: object;
  /** The ending of the call, with the details that only the log gets. */
  readonly ending: Ending;
}

export function observe(
  ending: Ending,
  { start, tool }: { readonly start: CallStart; readonly tool: Tool | null },
  parts: CallParts,
): ObservedCall {
  const { fitting, artifact } = limitOutput(ending, start, budgetOf(tool, parts), parts);
  const meta = createMeta(fitting, artifact, start, parts);
  const output = shapeOutput(tool?.toolset ?? parts.toolset, start.name, fitting.result);
  return { observation: { ...output, meta } as AnyObservation, output, ending: fitting };
}

function shapeOutput(toolset: string, name: string, result: Result) {
  if (toolset === "studio" || toolset === "web") return studioObservation(result);
  if (toolset === "mounts") return mountsObservation(result);
  return sidecarObservation(name, result);
}

/** Reports to the caller that the call ended, but that the log has no record of its outcome. */
export function withUnrecordedNote(observation: AnyObservation, error: unknown): AnyObservation {
  const message = `The call ended (${observation.meta.outcome}), but its outcome could not be recorded: ${
    error instanceof Error ? error.message : "unknown reason"
  }`;
  const result: Result = { ok: false, error: { code: "LOG_UNAVAILABLE", message } };
  if ("isError" in observation) return { ...observation, ...studioObservation(result) } as StudioObservation;
  if ("ok" in observation)
    return { ...mountsObservation(result), meta: observation.meta } as MountsObservation;
  return { ...observation, success: false, error: result.error };
}

function createMeta(
  { outcome, changes, meta }: Ending,
  artifact: string | null,
  start: CallStart,
  { cell, now }: CallParts,
): CallMeta {
  const { id: callId, repairs, startedAt } = start;
  const durationMs = Math.round((now() - startedAt) * 1000) / 1000;
  const why = outcome.status === "not_executed" ? { why: outcome.why } : {};
  const kept = artifact ?? meta.artifact ?? null;
  return {
    callId,
    outcome: outcome.status,
    ...why,
    ...cell,
    repairs,
    changes,
    durationMs,
    ...meta,
    artifact: kept,
  };
}

/** How much JSON an observation may have. */
interface Budget {
  readonly size: number;
  sizeOf(json: string): number;
}

/** Other toolsets keep within the budget of a model, or within limits of their own, by themselves. */
function budgetOf(tool: Tool | null, { observationBytes }: CallParts): Budget {
  if (tool?.toolset === "js") return { size: observationBytes, sizeOf: Buffer.byteLength };
  return { size: LIMITS.maxObservationBytes, sizeOf: ({ length }) => length };
}

/** Does not trust a tool's output to be JSON or to be small. */
function limitOutput(
  ending: Ending,
  start: CallStart,
  budget: Budget,
  { log }: CallParts,
): { readonly fitting: Ending; readonly artifact: string | null } {
  if (ending.result.output === undefined) return { fitting: ending, artifact: null };
  try {
    const given = ending.result.output;
    if (measureJsonValue(given) <= budget.size) return { fitting: ending, artifact: null };
    const output = checkJsonValue(given);
    const text = JSON.stringify(output);
    if (budget.sizeOf(text) <= budget.size) return { fitting: ending, artifact: null };
    // In lines, so that it can be read on.
    const artifact = log.artifact(Buffer.from(plainText(output, 1)));
    const result = { ...ending.result, output: cutToFit(output, budget) } as Result;
    return { fitting: { ...ending, result }, artifact };
  } catch (error) {
    const ended = createFailure(notJson(start.name, error), start, ending.intent);
    return { fitting: { ...ended, changes: ending.changes }, artifact: null };
  }
}

function notJson(tool: string, error: unknown): unknown {
  if (!(error instanceof HotcellError) || error.code !== "INVALID_ARGUMENTS") return error;
  const problem = error.message.replace(/^Could not take arguments/, "result");
  return new HotcellError(
    "INVALID_OUTPUT",
    `${tool} ran, but its result is not a JSON object: ${problem} A tool returns a plain object.`,
  );
}

function cutToFit(output: JsonObject, { size, sizeOf }: Budget): JsonObject {
  for (let share = 2; ; share *= 2) {
    const limit = Math.floor(size / share);
    const shorter = { ...(shorten(output, limit) as JsonObject), truncated: true };
    if (sizeOf(JSON.stringify(shorter)) <= size) return shorter;
  }
}

/** Keeps the head and the tail of long strings and the head of long lists. */
function shorten(value: Json, limit: number): Json {
  if (typeof value === "string") return shortenText(value, limit);
  if (Array.isArray(value)) return value.slice(0, limit).map((item) => shorten(item, limit));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).slice(0, limit);
  return Object.fromEntries(entries.map(([key, item]) => [key, shorten(item, limit)]));
}

function shortenText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters cut …]\n${text.slice(-half)}`;
}

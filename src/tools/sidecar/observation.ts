import type { JsonObject } from "../../core/json.ts";
import type { Result, ToolFailure } from "../../core/words.ts";

/** 000's shape: success and failure have the same keys. */
export interface SidecarObservation {
  readonly success: boolean;
  readonly tool: string;
  readonly output: JsonObject | null;
  readonly error: ToolFailure | null;
}

export function sidecarObservation(tool: string, result: Result): SidecarObservation {
  const error = result.ok ? null : result.error;
  return { success: result.ok, tool, output: result.output ?? null, error };
}

import type { Observation, Result } from "../../core/words.ts";

/** 000's shape. */
export function sidecarObservation(tool: string, result: Result): Omit<Observation, "meta"> {
  const error = result.ok ? null : result.error;
  return { success: result.ok, tool, output: result.output ?? null, error };
}

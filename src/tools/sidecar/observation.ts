import type { Observation, Result } from "../../core/types.ts";

/** The shape of the toolset `sidecar`. */
export function sidecarObservation(tool: string, result: Result): Omit<Observation, "meta"> {
  const error = result.ok ? null : result.error;
  return { success: result.ok, tool, output: result.output ?? null, error };
}

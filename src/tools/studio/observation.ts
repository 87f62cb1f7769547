import type { Result, StudioObservation } from "../../core/words.ts";

/** 004's shape. A tool of this toolset gives `output`, `metadata` and `isError` itself; what kept it from running is its output. */
export function studioObservation(result: Result): Omit<StudioObservation, "meta"> {
  const {
    output = "",
    metadata = {},
    isError = !result.ok,
  } = (result.output ?? {}) as Partial<StudioObservation>;
  if (result.ok) return { output, metadata, isError };
  const { code, message } = result.error;
  return {
    output: output === "" ? message : `${output}\n${message}`,
    metadata: { ...metadata, code },
    isError: true,
  };
}

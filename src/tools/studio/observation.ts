import type { ErrorCode } from "../../core/errors.ts";
import type { Result, StudioObservation } from "../../core/types.ts";

/** The toolset gives these to whoever runs the loop, not to the model: there was no tool, or the call left its sandbox, or was called off. */
const SYSTEM_ERRORS: ReadonlySet<ErrorCode> = new Set([
  "UNKNOWN_TOOL",
  "PATH_OUTSIDE_WORKSPACE",
  "SYMLINK_OUTSIDE_WORKSPACE",
  "PROTECTED_PATH",
  "NO_SANDBOX",
  "CANCELLED",
  "LOG_UNAVAILABLE",
  "LOG_TAMPERED",
  "INTERNAL_ERROR",
]);

/** The shape of the toolset `studio`. A tool of this toolset gives `output`, `metadata` and `isError` itself; what kept it from running is its output. */
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
    metadata: { ...metadata, code, ...(SYSTEM_ERRORS.has(code) && { system: true }) },
    isError: true,
  };
}

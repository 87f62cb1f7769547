import type { ErrorCode } from "../../core/errors.ts";
import type { Result, StudioObservation } from "../../core/types.ts";

/** Errors for the program that runs the agent loop, not for the model: an unknown tool, an escape, a cancelled call. */
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

/** The shape of the toolset `studio`. A tool of this toolset returns `output`, `metadata` and `isError` itself. For a call that did not run, `output` is the reason. */
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

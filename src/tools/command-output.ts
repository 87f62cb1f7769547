import type { JsonObject } from "../core/json.ts";
import type { CommandResult } from "./commands.ts";

/** What the tools of the sidecar's shape say of a command. */
export function commandOutput(result: CommandResult): JsonObject {
  return {
    exit_code: result.exitCode,
    signal: result.signal,
    stdout: result.stdout,
    stderr: result.stderr,
    duration_ms: Math.round(result.durationMs),
    timed_out: result.termination === "timeout",
    termination: result.termination,
    truncated: result.truncated,
  };
}

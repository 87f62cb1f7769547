import type { JsonObject } from "../core/json.ts";
import type { CommandResult } from "./commands.ts";

/** The result of a command, in the format of the toolset `sidecar`. */
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
    ...(result.refusedHosts.length > 0 && { refused_hosts: result.refusedHosts }),
    ...(result.notes.length > 0 && { note: result.notes.join("\n") }),
  };
}

// The common part of all tools that run commands, with the error for a command that hotcell ended.
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Termination } from "../shield/process/command.ts";
import type { CommandResult } from "./commands.ts";

/** Returns the output of a command that ended itself, with any exit code or signal. Otherwise throws an error with that output. */
export function requireEnd(
  tool: string,
  { termination, exceeded, limits, stdout, stderr }: CommandResult,
  output: JsonObject,
): JsonObject {
  if (termination === null || termination === "signal") return output;
  // A command that has our own output leaves none in the result.
  const kept = stdout === "" && stderr === "" ? "" : " The output up to then is in the result.";
  const message = `${tool} was ended: ${reasonOf(termination, exceeded, limits)}.${kept}`;
  throw new HotcellError(CODES[termination], message, { termination }, { output });
}

/** The common part of tools that run commands. */
export const COMMAND_TOOL = {
  category: "exec",
  danger: "dangerous",
  effect: "change",
  contained: true,
  keepsTime: true,
  needs: ["commands"],
} as const;

const CODES = {
  timeout: "TIMEOUT",
  cancelled: "CANCELLED",
  oom: "EXECUTION_ERROR",
  output: "EXECUTION_ERROR",
  policy: "EXECUTION_ERROR",
} as const satisfies Record<Exclude<Termination, "signal">, string>;

function reasonOf(
  termination: Exclude<Termination, "signal">,
  exceeded: CommandResult["exceeded"],
  limits: CommandResult["limits"],
): string {
  const mib = (bytes: number) => `${Math.floor(bytes / (1024 * 1024))} MiB`;
  switch (termination) {
    case "timeout":
      return `it did not end within ${limits.timeoutMs} ms`;
    case "cancelled":
      return "it was cancelled by its caller";
    case "oom":
      return `it used more memory than the ${mib(limits.memoryBytes)} that a command may use`;
    case "output":
      return `it wrote more output than the ${mib(limits.outputBytes)} that a command may write`;
    case "policy":
      if (exceeded === "home")
        return `its home used more disk space than ${mib(limits.homeBytes)} (limits.homeBytes)`;
      return exceeded === "disk"
        ? `the session used more disk space than its limit of ${mib(limits.diskBytes)}`
        : `it had more than the ${limits.processes} processes that a command may use`;
  }
}

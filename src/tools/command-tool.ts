// What is the same for every tool that runs a command: above all, what is said of one that did not end by itself.
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Termination } from "../shield/process/command.ts";
import type { CommandResult } from "./commands.ts";

/** Gives the output of a command that came to its end, with whatever exit code or signal; else throws with it. */
export function endedWith(
  tool: string,
  { termination, exceeded, limits }: CommandResult,
  output: JsonObject,
): JsonObject {
  if (termination === null || termination === "signal") return output;
  const message = `${tool} was ended: ${reasonOf(termination, exceeded, limits)}. What it wrote until then is in the output.`;
  throw new HotcellError(CODES[termination], message, { termination }, { output });
}

/** What tools that run commands have in common. */
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
      return `it used more memory than the ${mib(limits.memoryBytes)} that a command may have`;
    case "output":
      return `it wrote out more than the ${mib(limits.outputBytes)} that a command may`;
    case "policy":
      return exceeded === "disk"
        ? `there came to be more on the disk than the ${mib(limits.diskBytes)} that the session may have`
        : `it had more than the ${limits.processes} processes that a command may have`;
  }
}

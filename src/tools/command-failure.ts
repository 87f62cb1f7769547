// What is said of a command that did not end by itself; the same for every tool that runs one.
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Termination } from "../shield/command.ts";
import type { CommandResult } from "./commands.ts";

/** Null when it came to its end, with whatever exit code or signal. */
export function commandFailure(tool: string, result: CommandResult, output: JsonObject): HotcellError | null {
  const { termination, limits } = result;
  if (termination === null || termination === "signal") return null;
  const code = CODES[termination];
  const kept = "What it wrote until then is in the output.";
  return new HotcellError(
    code,
    `${tool} was ended: ${reasonOf(termination, limits)}. ${kept}`,
    { termination },
    { output },
  );
}

const CODES = {
  timeout: "TIMEOUT",
  cancelled: "CANCELLED",
  oom: "EXECUTION_ERROR",
  output: "EXECUTION_ERROR",
  policy: "EXECUTION_ERROR",
} as const satisfies Record<Exclude<Termination, "signal">, string>;

function reasonOf(termination: Exclude<Termination, "signal">, limits: CommandResult["limits"]): string {
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
      return `it had more than ${limits.processes} processes, or put more than ${mib(limits.diskBytes)} on the disk`;
  }
}

// What ended a guest, told apart: each limit with what was used and how to raise it.
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { GuestLimits } from "../../tools/wasm/guests.ts";
import type { GuestEnd } from "./guest/run-guest.ts";

const MiB = 1024 * 1024;

interface RunFacts {
  /** Its name and, if there is one, its file. */
  readonly tool: string;
  readonly denied: readonly string[];
  readonly outputBytes: number;
}

export function throwIfLimited(
  end: GuestEnd,
  { memoryMiB, fuel, areFixed }: GuestLimits,
  { tool, denied, outputBytes }: RunFacts,
): void {
  const { status, exitCode, memoryDenied, memoryBytes, message } = end;
  if (status === "invalid")
    throw new HotcellError(
      "INVALID_MODULE",
      `Could not run ${tool}: its module is not valid WebAssembly: ${message}. Build it again.`,
    );
  if (status === "fuel")
    throw limitError("FUEL_EXHAUSTED", `it used up its ${fuel} units of fuel`, raise("limits.fuel"), {
      limit: fuel,
      used: end.fuel,
    });
  // The exit code of a module that hotcell wasm run runs is its own answer.
  if (memoryDenied && (status === "trap" || (exitCode !== 0 && !areFixed)))
    throw limitError(
      "MEMORY_LIMIT",
      `it had ${(memoryBytes / MiB).toFixed(1)} MiB of memory, and asked for more than its ${memoryMiB} MiB`,
      areFixed
        ? "hotcell wasm run gives no more. To allow more, make the module a tool, with a larger limits.memory and TOOL_MEMORY_MB."
        : raise("limits.memory, or TOOL_MEMORY_MB if that is lower"),
      { limit: memoryMiB * MiB, used: memoryBytes },
    );
  if (status === "output")
    throw limitError(
      "OUTPUT_LIMIT",
      `it wrote more than ${LIMITS.maxGuestOutputBytes} bytes to standard output, which is the limit`,
      'The limit is fixed. Let the tool give a part of its result, or write it to a file in /workspace with the capability filesystem "write".',
      { limit: LIMITS.maxGuestOutputBytes, used: outputBytes },
    );
  if (status === "trap") throw trapError(message, denied, { used: end.fuel, limit: fuel });
}

/** Many languages end with a trap if a host call fails: then the denied capability is the reason. */
function trapError(message: string, denied: readonly string[], used: Record<string, number>): HotcellError {
  if (denied.length === 0)
    return new HotcellError("TRAP", `The wasm tool failed: ${message}. Correct its code.`, used);
  return new HotcellError(
    "CAPABILITY_DENIED",
    `The wasm tool failed: ${message}, and was denied ${denied.join(", ")}. To allow it, name it in the manifest's capabilities and in the tool's grant.`,
    { ...used, denied },
  );
}

export function timeoutError(
  { timeoutMs, areFixed }: GuestLimits,
  usedMs: number,
  isOfScope: boolean,
): HotcellError {
  const setting = isOfScope
    ? "the timeout of the scope"
    : "limits.timeout, or TOOL_TIMEOUT_SECS if that is lower";
  return limitError(
    "TIMEOUT",
    `after ${usedMs} ms it had run longer than its ${timeoutMs} ms`,
    areFixed ? "hotcell wasm run gives no more. Let the module do less at a time." : raise(setting),
    { limit: timeoutMs, used: usedMs },
  );
}

const raise = (setting: string): string => `To allow more, raise ${setting}.`;

export function limitError(
  code: ErrorCode,
  state: string,
  next: string,
  details: Record<string, unknown>,
): HotcellError {
  return new HotcellError(code, `The wasm tool was ended: ${state}. ${next}`, details);
}

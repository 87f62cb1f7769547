import { isJsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { AnyObservation } from "../../core/types.ts";
import { askInTerminal, denyUnasked } from "./approve.ts";
import { cellOptions } from "./cell-options.ts";
import { type ExitCode, type Io, printJson, printNotes } from "./io.ts";
import type { CallFlags } from "./main.ts";
import { withCell } from "./with-cell.ts";

export async function callTool(
  io: Io,
  tool: string,
  given: string | undefined,
  flags: CallFlags,
): Promise<ExitCode> {
  const text = given === "-" ? (await io.readStdin(LIMITS.maxCallBytes)).toString() : given;
  const onAsk = io.interactive && given !== "-" ? askInTerminal(io) : denyUnasked;
  const { deterministic = false } = flags;
  const options = { ...(await cellOptions(io, flags)), onAsk, deterministic };
  return withCell(io, options, async (cell, signal) => {
    const request = text === undefined ? { name: tool } : { name: tool, arguments: text };
    const observation = await cell.call<AnyObservation>(request, { signal });
    printJson(io, observation, flags.json === true);
    printNotes(io, ...describeBackground(observation));
    return succeeded(observation) ? 0 : 1;
  });
}

/** Each command line has a cell of its own. */
function describeBackground(observation: AnyObservation): string[] {
  const id = "output" in observation && isJsonObject(observation.output) && observation.output.process_id;
  if (typeof id !== "string") return [];
  return [
    `hotcell: The background process ${id} ends with this command line. To keep one for later calls, use hotcell mcp, hotcell chat or the library.`,
  ];
}

function succeeded(observation: AnyObservation): boolean {
  if (observation.meta.outcome !== "executed_ok") return false;
  return !("isError" in observation && observation.isError);
}

import type { AnyObservation } from "../../core/types.ts";
import { askInTerminal, denyUnasked } from "./approve.ts";
import { cellOptions } from "./cell-options.ts";
import { type ExitCode, type Io, printJson } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { withCell } from "./with-cell.ts";

export async function callTool(
  io: Io,
  tool: string,
  given: string | undefined,
  flags: CellFlags,
): Promise<ExitCode> {
  const text = given === "-" ? await io.readStdin() : given;
  const approve = io.interactive && given !== "-" ? askInTerminal(io) : denyUnasked;
  return withCell(io, { ...cellOptions(io, flags), approve }, async (cell, signal) => {
    const request = text === undefined ? { name: tool } : { name: tool, arguments: text };
    const observation = await cell.call<AnyObservation>(request, { signal });
    printJson(io, observation, flags.json === true);
    return succeeded(observation) ? 0 : 1;
  });
}

function succeeded(observation: AnyObservation): boolean {
  if (observation.meta.outcome !== "executed_ok") return false;
  return !("isError" in observation && observation.isError);
}

import { openCell } from "../../cell.ts";
import type { AnyObservation } from "../../core/words.ts";
import { askInTerminal, denyUnasked } from "./approve.ts";
import { cellOptions } from "./cell-options.ts";
import { type ExitCode, type Io, printJson } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { createProgress } from "./progress.ts";

export async function callTool(
  io: Io,
  tool: string,
  given: string | undefined,
  flags: CellFlags,
): Promise<ExitCode> {
  const text = given === "-" ? await io.readStdin() : given;
  const approve = io.interactive && given !== "-" ? askInTerminal(io) : denyUnasked;
  const progress = createProgress(io, "Copying the project");
  const options = { ...cellOptions(io, flags), approve, onProgress: progress.report };
  const cell = await openCell(options).finally(progress.end);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    const request = text === undefined ? { name: tool } : { name: tool, arguments: text };
    const observation = await cell.call<AnyObservation>(request, { signal: interrupted.signal });
    printJson(io, observation, flags.json === true);
    return succeeded(observation) ? 0 : 1;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await cell.close();
  }
}

function succeeded(observation: AnyObservation): boolean {
  if (observation.meta.outcome !== "executed_ok") return false;
  return "isError" in observation ? !observation.isError : observation.success;
}

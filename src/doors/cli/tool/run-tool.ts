import path from "node:path";
import type { Cell } from "../../../cell.ts";
import type { Observation, WasmMeta } from "../../../core/types.ts";
import { wasmTool } from "../../../tools/wasm/wasm-tool.ts";
import { configuredCell, toolModel } from "../cell-options.ts";
import { formatBytes, formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes } from "../io.ts";
import { withCell } from "../with-cell.ts";
import { readGrants } from "./read-grants.ts";
import type { ToolFlags } from "./tool-commands.ts";

/** A person runs their own tool, with what they grant it: nobody is asked unless a rule says so. */
export async function runTool(io: Io, dir: string, flags: ToolFlags): Promise<ExitCode> {
  const tool = wasmTool({ path: path.resolve(io.cwd, dir), grant: readGrants(flags.grant), env: io.env });
  const { options, config } = await configuredCell(io, flags);
  const { deterministic = false } = flags;
  // The other tools stay, because rules may name them.
  const others = options.tools?.filter(({ name }) => name !== tool.name) ?? [];
  const own = { toolsets: [], tools: [...others, tool], trust: "autonomous", deterministic } as const;
  const model = await toolModel(io, own, config);
  return withCell(io, { ...options, ...own, ...model }, async (cell, signal) => {
    const request = { name: tool.name, arguments: flags.input ?? "{}" };
    const observation = await cell.call(request, { signal });
    await (flags.json === true ? printDocument : printForPerson)(io, cell, observation);
    return observation.success ? 0 : 1;
  });
}

async function printDocument(io: Io, cell: Cell, { success, output, error, meta }: Observation) {
  const changes = cell.session === null ? [] : (await cell.diff()).changes;
  const { wasm = null, callId: call, session } = meta;
  printJson(io, { success, output, error, wasm, call, session, changes }, true);
}

/** The result, what the tool said and used, and the diff of its session. */
async function printForPerson(io: Io, cell: Cell, { output, error, meta }: Observation): Promise<void> {
  const { wasm, session } = meta;
  if (output !== null) printJson(io, output, false);
  const said = error === null ? (wasm?.diagnostics ?? "") : `hotcell: ${error.code}: ${error.message}`;
  if (said !== "") printNotes(io, ...said.trimEnd().split("\n"));
  if (wasm !== undefined) printLines(io, usedLine(wasm));
  if (wasm?.recording !== undefined)
    printNotes(io, `hotcell: recorded. Run it again: hotcell audit replay ${meta.callId}`);
  if (session === null) return;
  const diff = await cell.diff();
  if (diff.changes.length === 0) return;
  io.out(diff.unified());
  printNotes(io, `hotcell: session ${session}. Keep the changes: hotcell commit`);
}

function usedLine({ fuel, memoryBytes, hostCalls, denied }: WasmMeta): string {
  const used = fuel === null ? [] : [`fuel ${fuel}`];
  const memory = memoryBytes === null ? [] : [`memory ${formatBytes(memoryBytes)}`];
  const refused = denied.length === 0 ? [] : [`denied ${denied.join(", ")}`];
  return [...used, ...memory, formatCount(hostCalls, "host call"), ...refused].join(" · ");
}

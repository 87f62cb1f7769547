import { openPreview } from "../../call/tools-and-policy.ts";
import { quote } from "../../core/quote.ts";
import { WIRE_FORMATS, type WireFormat } from "../../tools/definitions.ts";
import { cellOptions } from "./cell-options.ts";
import { type ExitCode, type Io, printJson, printLines, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";

export async function printTools(io: Io, flags: CellFlags & { format?: string }): Promise<ExitCode> {
  const format = readFormat(flags.format);
  const cell = await openPreview(await cellOptions(io, flags));
  try {
    const definitions = cell.tools(format ?? "mcp");
    if (format !== null || flags.json === true) printJson(io, definitions, flags.json === true);
    else printLines(io, ...definitions.map(describe));
    return 0;
  } finally {
    cell.close();
  }
}

function readFormat(given: string | undefined): WireFormat | null {
  if (given === undefined) return null;
  const format = WIRE_FORMATS.find((known) => known === given);
  if (format === undefined)
    throw usage(`--format is ${quote(given)}; allowed are ${WIRE_FORMATS.join(", ")}.`);
  return format;
}

function describe(definition: unknown): string {
  const { name, description } = definition as { name: string; description: string };
  return `${name.padEnd(16)} ${description}`;
}

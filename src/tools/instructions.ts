import { HotcellError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { wireSchema } from "./definitions.ts";

/** What the instructions say of a tool: a `Tool` has it, and so has a member of `cell.tools("mcp")`. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** The part of a system prompt that teaches a model without native tool calling how to call these tools. */
export function toolInstructions(tools: readonly DescribedTool[]): string {
  if (!Array.isArray(tools)) throw refused(`the tools are ${quote(tools)}; allowed is a list`);
  const wrong = tools.findIndex((tool) => !isJsonObject(tool?.inputSchema));
  if (wrong >= 0) throw refused(`tools[${wrong}] is no tool; take those of cell.tools("mcp")`);
  return [INTRODUCTION, ...tools.map(describeTool)].join("\n\n");
}

const INTRODUCTION = `You can call tools. To call one, answer with this JSON object and nothing else, no text before or after it:

{"tool_call":{"name":"TOOL","arguments":{"ARGUMENT":"VALUE"}}}

"arguments" must match the tool's JSON Schema. Omit it if the tool needs no arguments:

{"tool_call":{"name":"TOOL"}}

Make one call at a time. The next message contains its result. To answer the user, write text without a tool call.

The tools:`;

function refused(problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not write the instructions: ${problem}.`);
}

function describeTool(tool: DescribedTool): string {
  return `${tool.name}: ${tool.description}\narguments: ${JSON.stringify(wireSchema(tool))}`;
}

import type { JsonObject } from "../core/json.ts";
import type { Tool } from "./define-tool.ts";

export type WireFormat = keyof ToolDefinitions;

/** The definition of one tool on each wire. */
export interface ToolDefinitions {
  readonly openai: FunctionDefinition;
  readonly anthropic: AnthropicDefinition;
  readonly ollama: FunctionDefinition;
  readonly mcp: McpDefinition;
}

// Aliases, not interfaces: only an alias is assignable to `Json`.

/** A member of `tools` in a request to OpenAI, Ollama, and many others. */
export type FunctionDefinition = {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: InputSchema;
  };
};

/** A member of `tools` in a request to Anthropic. */
export type AnthropicDefinition = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: InputSchema;
};

/** A member of `tools` in the answer to MCP's `tools/list`. */
export type McpDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
};

/** The JSON Schema of a tool's arguments, which are always an object. */
export type InputSchema = JsonObject & { readonly type: "object" };

export const WIRE_FORMATS: readonly WireFormat[] = ["openai", "anthropic", "ollama", "mcp"];

/** What a model or a client is told of the tools, in the shape of its wire. */
export function toolDefinitions<Format extends WireFormat>(
  tools: readonly Tool[],
  format: Format,
): ToolDefinitions[Format][] {
  return tools.map((tool) => DEFINE[format](tool));
}

// Names: openai takes [A-Za-z0-9_-]{1,64}, anthropic [A-Za-z0-9_-]{1,128}, so dots are mapped for both.
// ollama has no rule, and mcp takes [A-Za-z0-9._-]{1,128}: there names stay as they are.
const DEFINE: { readonly [Format in WireFormat]: (tool: Tool) => ToolDefinitions[Format] } = {
  openai: (tool) => functionDefinition(tool, wireName(tool.name)),
  ollama: (tool) => functionDefinition(tool, tool.name),
  anthropic: (tool) => ({
    name: wireName(tool.name),
    description: tool.description,
    input_schema: wireSchema(tool),
  }),
  mcp: (tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: wireSchema(tool),
    annotations: { readOnlyHint: tool.effect === "read", destructiveHint: tool.effect === "change" },
  }),
};

function functionDefinition(tool: Tool, name: string): FunctionDefinition {
  return {
    type: "function",
    function: { name, description: tool.description, parameters: wireSchema(tool) },
  };
}

export function wireName(name: string): string {
  return name.replaceAll(".", "_");
}

/** The input schema without our own format "path": some providers refuse formats that they don't know. */
export function wireSchema(tool: Tool): InputSchema {
  const isOurs = (key: string, value: unknown) => key === "format" && value === "path";
  return JSON.parse(
    JSON.stringify(tool.inputSchema, (key, value) => (isOurs(key, value) ? undefined : value)),
  );
}

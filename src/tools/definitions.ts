import type { Json, JsonObject } from "../core/json.ts";
import type { Tool } from "./define-tool.ts";

export type WireFormat = "openai" | "anthropic" | "ollama" | "mcp";

export const WIRE_FORMATS: readonly WireFormat[] = ["openai", "anthropic", "ollama", "mcp"];

/** What a model or a client is told of the tools, in the shape of its wire. */
export function toolDefinitions(tools: readonly Tool[], format: WireFormat): Json[] {
  return tools.map((tool) => DEFINE[format](tool));
}

// Names: openai takes [A-Za-z0-9_-]{1,64}, anthropic [A-Za-z0-9_-]{1,128}, so dots are mapped for both.
// ollama has no rule, and mcp takes [A-Za-z0-9._-]{1,128}: there names stay as they are.
const DEFINE: Readonly<Record<WireFormat, (tool: Tool) => JsonObject>> = {
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

function functionDefinition(tool: Tool, name: string): JsonObject {
  return {
    type: "function",
    function: { name, description: tool.description, parameters: wireSchema(tool) },
  };
}

export function wireName(name: string): string {
  return name.replaceAll(".", "_");
}

/** The input schema without our own format "path": some providers refuse formats that they don't know. */
export function wireSchema(tool: Tool): JsonObject {
  const isOurs = (key: string, value: unknown) => key === "format" && value === "path";
  return JSON.parse(
    JSON.stringify(tool.inputSchema, (key, value) => (isOurs(key, value) ? undefined : value)),
  );
}

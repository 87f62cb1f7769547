import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { wireName } from "../core/wire-name.ts";
import type { Need, Tool } from "./define-tool.ts";
import { observationSchema } from "./output/observation-schema.ts";

export type WireFormat = keyof ToolDefinitions;

/** The definition of one tool on each wire. */
export interface ToolDefinitions {
  readonly openai: FunctionDefinition;
  readonly "openai-responses": ResponsesDefinition;
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

/** A member of `tools` in a request to OpenAI's responses. */
export type ResponsesDefinition = {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: InputSchema;
  /** The API would otherwise rewrite schemas with optional arguments. */
  readonly strict: false;
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
  /** The name as people read it. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Of the observation, if the tool describes its output. */
  readonly outputSchema?: InputSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
};

/** A JSON Schema whose values are objects, as the arguments of a tool always are. */
export type InputSchema = JsonObject & { readonly type: "object" };

export const WIRE_FORMATS: readonly WireFormat[] = [
  "openai",
  "openai-responses",
  "anthropic",
  "ollama",
  "mcp",
];

/** The definitions of the tools in the format of a provider or of MCP. */
export function toolDefinitions<Format extends WireFormat>(
  tools: readonly Tool[],
  format: Format,
): ToolDefinitions[Format][] {
  if (!WIRE_FORMATS.includes(format)) {
    const allowed = `allowed are ${WIRE_FORMATS.map(quote).join(", ")}`;
    throw new HotcellError(
      "INVALID_ARGUMENTS",
      `Could not define the tools: the format is ${quote(format)}; ${allowed}.`,
    );
  }
  return tools.map((tool) => DEFINE[format](tool));
}

// Names: openai takes [A-Za-z0-9_-]{1,64}, anthropic [A-Za-z0-9_-]{1,128}, so dots are mapped for both.
// ollama has no rule, and mcp takes [A-Za-z0-9._-]{1,128}: there names stay as they are.
const DEFINE: { readonly [Format in WireFormat]: (tool: Tool) => ToolDefinitions[Format] } = {
  openai: (tool) => functionDefinition(tool, wireName(tool.name)),
  "openai-responses": (tool) => ({
    type: "function",
    name: wireName(tool.name),
    description: tool.description,
    parameters: wireSchema(tool),
    strict: false,
  }),
  ollama: (tool) => functionDefinition(tool, tool.name),
  anthropic: (tool) => ({
    name: wireName(tool.name),
    description: tool.description,
    input_schema: wireSchema(tool),
  }),
  mcp: (tool) => ({
    name: tool.name,
    title: titleOf(tool.name),
    description: tool.description,
    inputSchema: wireSchema(tool),
    ...outputDefinition(tool),
    annotations: {
      readOnlyHint: tool.effect === "read",
      destructiveHint: tool.effect !== "read" && tool.isAdditive !== true,
      idempotentHint: tool.effect === "read",
      openWorldHint: tool.needs.some((need) => REACHES_OUT.includes(need)),
    },
  }),
};

function outputDefinition(tool: Tool): Pick<McpDefinition, "outputSchema"> {
  const schema = observationSchema(tool);
  return schema === null ? {} : { outputSchema: schema as InputSchema };
}

/** A rule may let commands reach hosts, so they count too. */
const REACHES_OUT: readonly Need[] = ["http", "search", "commands"];

/** `read_file` is "Read file". */
function titleOf(name: string): string {
  const words = name.replaceAll(/[._-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function functionDefinition(tool: Tool, name: string): FunctionDefinition {
  return {
    type: "function",
    function: { name, description: tool.description, parameters: wireSchema(tool) },
  };
}

/** The input schema without our own format "path": some providers refuse formats that they don't know. */
export function wireSchema(tool: Pick<Tool, "inputSchema">): InputSchema {
  const isOurs = (key: string, value: unknown) => key === "format" && value === "path";
  return JSON.parse(
    JSON.stringify(tool.inputSchema, (key, value) => (isOurs(key, value) ? undefined : value)),
  );
}

import { describe, expect, test } from "vitest";
import { isJsonObject, type Json } from "../core/json.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { defineTool } from "./define-tool.ts";
import { toolDefinitions, WIRE_FORMATS } from "./definitions.ts";

const MOUNT_TOOLS = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");

const schema = {
  type: "object",
  properties: { path: { type: "string", description: "Where" }, format: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

const tool = defineTool({
  name: "fs.peek",
  description: "Look.",
  input: {
    ...schema,
    properties: { ...schema.properties, path: { ...schema.properties.path, format: "path" } },
  },
  category: "file",
  danger: "safe",
  effect: "read",
  toolset: "test",
  needs: [],
  subject: "none",
  run: () => ({}),
});

test.each([
  ["openai", { type: "function", function: { name: "fs_peek", description: "Look.", parameters: schema } }],
  ["ollama", { type: "function", function: { name: "fs.peek", description: "Look.", parameters: schema } }],
  ["anthropic", { name: "fs_peek", description: "Look.", input_schema: schema }],
  [
    "mcp",
    {
      name: "fs.peek",
      title: "Fs peek",
      description: "Look.",
      inputSchema: schema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  ],
] as const)("%s gets its own shape, and no format that only hotcell knows", (format, definition) => {
  expect(toolDefinitions([tool], format)).toEqual([definition]);
});

test("AC-2: a definition serializes with camelCase fields", () => {
  const [definition] = JSON.parse(JSON.stringify(toolDefinitions([tool], "mcp"))) as [object];
  expect(Object.keys(definition)).toEqual(["name", "title", "description", "inputSchema", "annotations"]);
});

describe("names", () => {
  const rules = {
    openai: /^[A-Za-z0-9_-]{1,64}$/,
    "openai-responses": /^[A-Za-z0-9_-]{1,64}$/,
    anthropic: /^[A-Za-z0-9_-]{1,128}$/,
    ollama: /./,
    mcp: /^[A-Za-z0-9._-]{1,128}$/,
  };

  test.each(WIRE_FORMATS)("every name is one that %s takes", (format) => {
    const definitions = toolDefinitions(MOUNT_TOOLS, format);
    expect(definitions.map(nameOf).filter((name) => !rules[format].test(name))).toEqual([]);
  });
});

test("a tool that changes something is destructive for MCP clients", () => {
  const hints = toolDefinitions(MOUNT_TOOLS, "mcp").map((definition) => [
    nameOf(definition),
    isJsonObject(definition) && definition.annotations,
  ]);
  const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const change = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
  expect(hints).toEqual([
    ["fs.list", read],
    ["fs.read", read],
    ["fs.search", read],
    ["fs.write", change],
    ["fs.apply_patch", change],
  ]);
});

test("a session tool is destructive for MCP clients if it may remove or replace something", () => {
  const tools = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "session");
  const hints = toolDefinitions(tools, "mcp").map(({ name, annotations }) => [
    name,
    annotations.readOnlyHint,
    annotations.destructiveHint,
  ]);
  expect(hints).toEqual([
    ["session_create", false, false],
    ["session_diff", true, false],
    ["session_commit", false, true],
    ["session_discard", false, true],
    ["session_rewind", false, true],
  ]);
});

test("a tool that may reach other machines has openWorldHint for MCP clients", () => {
  const open = toolDefinitions(BUILTIN_TOOLS, "mcp").filter(({ annotations }) => annotations.openWorldHint);
  expect([...new Set(open.map(nameOf))]).toEqual(OPEN_TO_THE_WORLD);
});

const OPEN_TO_THE_WORLD = [
  "run_command",
  "bash",
  "web_search",
  "process_list",
  "process_output",
  "process_stop",
];

function nameOf(definition: Json): string {
  if (!isJsonObject(definition)) throw new Error("no object");
  return String(isJsonObject(definition.function) ? definition.function.name : definition.name);
}

// The schema of a custom tool in the configuration.
import { LIMITS } from "../core/limits.ts";
import type { Schema } from "./schema.ts";

/** The name of an environment variable. */
export const VARIABLE = { type: "string", pattern: "^[^=]+$" } as const;
const MAX_ITEMS = 1000;

const COMMON = {
  name: {
    type: "string",
    minLength: 1,
    description:
      "The name that the model uses: a letter, then letters, digits, _ - and dots, at most 64 characters.",
  },
  description: {
    type: "string",
    minLength: 1,
    description: "Describes the purpose of the tool to the model.",
  },
  parameters: {
    type: "object",
    description: "The JSON Schema of its arguments, of type object. If omitted, the tool takes no arguments.",
  },
  secrets: {
    type: "array",
    items: VARIABLE,
    maxItems: MAX_ITEMS,
    uniqueItems: true,
    description:
      "Names of environment variables that only this tool gets. Their values come from hotcell's own environment.",
  },
  timeoutMs: {
    type: "integer",
    minimum: 1,
    maximum: LIMITS.maxTimerMs,
    description: "The time limit of one call of the tool, in milliseconds. The default is the cell's limit.",
  },
  effect: {
    type: "string",
    enum: ["read", "change"],
    description:
      "Whether the tool may change files. A tool that only reads runs in parallel with others and sees the project read-only. The default is change.",
  },
} as const satisfies Readonly<Record<string, Schema>>;

const COMMAND_TOOL = {
  type: "object",
  additionalProperties: false,
  required: ["name", "type", "description", "command"],
  properties: {
    ...COMMON,
    type: { type: "string", enum: ["command"], description: "A program, with arguments, without a shell." },
    command: {
      type: "string",
      minLength: 1,
      description:
        "The program's name without a path, one of allowedCommands. hotcell searches only the system's directories for it.",
    },
    args: {
      type: "array",
      items: { type: "string" },
      maxItems: MAX_ITEMS,
      description:
        "The program's arguments. {{name}} is replaced by an argument of the call. It becomes exactly one argument of the program, unless it is a list.",
    },
  },
} as const satisfies Schema;

const INLINE_TOOL = {
  type: "object",
  additionalProperties: false,
  required: ["name", "type", "description", "interpreter", "script"],
  properties: {
    ...COMMON,
    type: { type: "string", enum: ["inline"], description: "A script, with the interpreter that runs it." },
    interpreter: {
      type: "string",
      enum: ["python3", "python", "node", "bash", "sh", "perl", "ruby"],
      description: "hotcell searches only the system's directories for it.",
    },
    script: {
      type: "string",
      minLength: 1,
      description:
        "The text of the script. The first argument of the script is the call's arguments, as JSON.",
    },
  },
} as const satisfies Schema;

const { effect: _, ...WITHOUT_EFFECT } = COMMON;

const HTTP_TOOL = {
  type: "object",
  additionalProperties: false,
  required: ["name", "type", "description", "url"],
  properties: {
    ...WITHOUT_EFFECT,
    type: { type: "string", enum: ["http"], description: "One HTTP request." },
    url: {
      type: "string",
      minLength: 1,
      description:
        "Its URL. {{name}} stands for an argument of the call, anywhere after the host; it is encoded. A pair of the query is left out if its argument is not given.",
    },
    method: {
      type: "string",
      enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      description: "GET when left out.",
    },
    headers: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Its headers. {{name}} in a value stands for an argument of the call or for a secret.",
    },
    body: {
      description:
        'Text, or a value that is sent as JSON. {{name}} stands for an argument of the call or for a secret; in JSON, "{{name}}" alone keeps the type of the argument.',
    },
  },
} as const satisfies Schema;

/** What a wasm tool may be given, by its manifest and by its operator. */
export const CAPABILITIES = {
  type: "object",
  additionalProperties: false,
  properties: {
    model_access: { type: "boolean", description: "Requests to the cell's model, by model.chat." },
    network: {
      description:
        'The hosts that http.fetch reaches, like "api.example.com"; or true for any, which needs TOOL_ALLOW_DIRECT_NETWORK.',
    },
    filesystem: {
      type: "string",
      enum: ["none", "read", "write"],
      description: "The project's files, at /workspace.",
    },
    env: {
      type: "array",
      items: VARIABLE,
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description: "Names of environment variables, whose values come from hotcell's own environment.",
    },
  },
} as const satisfies Schema;

/** The limits of one call of a wasm tool, by its manifest or its entry. */
export const GUEST_LIMITS = {
  type: "object",
  additionalProperties: false,
  properties: {
    timeout: {
      type: "number",
      minimum: 0.001,
      maximum: LIMITS.wasm.maxTimeoutMs / 1000,
      description: `Seconds. The default is ${LIMITS.wasm.timeoutMs / 1000}.`,
    },
    memory: {
      type: "integer",
      minimum: 1,
      maximum: LIMITS.wasm.maxMemoryMiB,
      description: `MiB. The default is ${LIMITS.wasm.memoryMiB}.`,
    },
    fuel: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `Instructions, about. The default is ${LIMITS.wasm.fuel}.`,
    },
  },
} as const satisfies Schema;

const WASM_TOOL = {
  type: "object",
  additionalProperties: false,
  required: ["type", "path"],
  properties: {
    type: {
      type: "string",
      enum: ["wasm"],
      description: "A tool in WebAssembly or JavaScript, in a folder of its own.",
    },
    path: {
      type: "string",
      minLength: 1,
      description: "The tool's folder, with its manifest.json. Relative to this file.",
    },
    grant: {
      ...CAPABILITIES,
      description:
        "What the tool gets of the capabilities that its manifest asks for. The default is nothing.",
    },
  },
} as const satisfies Schema;

const JS_TOOL = {
  type: "object",
  additionalProperties: false,
  required: ["type"],
  properties: {
    type: {
      type: "string",
      enum: ["js"],
      description:
        "The tool run_js with capabilities or limits of its own. The toolset js has it without capabilities.",
    },
    grant: {
      ...CAPABILITIES,
      description: "What the model's code gets. The default is nothing.",
    },
    limits: {
      ...GUEST_LIMITS,
      description: "The limits of one call.",
    },
  },
} as const satisfies Schema;

export const TOOL_SCHEMA = {
  type: "object",
  oneOf: [COMMAND_TOOL, INLINE_TOOL, HTTP_TOOL, WASM_TOOL, JS_TOOL],
} as const satisfies Schema;

/** The definition of a tool in a program: its function is its type, and its secrets have values. */
function definitionOf({ required = [], properties }: Schema): Schema {
  const { type: _type, ...others } = properties ?? {};
  return {
    type: "object",
    required: required.filter((key) => key !== "type"),
    properties: { ...others, secrets: { type: "object" } },
  };
}

const COMMAND_DEFINITION = definitionOf(COMMAND_TOOL);

/** The definitions of configured tools in a program. */
export const TOOL_DEFINITIONS = {
  command: {
    ...COMMAND_DEFINITION,
    required: [...COMMAND_DEFINITION.required!, "allowedCommands"],
    properties: {
      ...COMMAND_DEFINITION.properties,
      allowedCommands: { type: "array", items: { type: "string" } },
    },
  },
  inline: definitionOf(INLINE_TOOL),
  http: definitionOf(HTTP_TOOL),
} as const satisfies Readonly<Record<string, Schema>>;

export type Interpreter = (typeof INLINE_TOOL)["properties"]["interpreter"]["enum"][number];

export type HttpToolMethod = (typeof HTTP_TOOL)["properties"]["method"]["enum"][number];

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
    description: "What a model calls it by: a letter, then letters, digits, _ - and dots, 64 at most.",
  },
  description: { type: "string", minLength: 1, description: "Tells a model what it is for." },
  parameters: {
    type: "object",
    description: "The JSON Schema of its arguments, of type object. Without it, it takes none.",
  },
  secrets: {
    type: "array",
    items: VARIABLE,
    maxItems: MAX_ITEMS,
    uniqueItems: true,
    description:
      "Names of variables that only this tool gets. Their values come from hotcell's own environment.",
  },
  timeoutSecs: {
    type: "integer",
    minimum: 1,
    maximum: Math.floor(LIMITS.maxTimeoutMs / 1000),
    description: "The longest that one call of it may take, in seconds; toolTimeoutSecs when left out.",
  },
  effect: {
    type: "string",
    enum: ["read", "change"],
    description:
      "Whether it may change files. One that only reads runs beside others, and finds the project read-only. change when left out.",
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
      description: "The program's bare name, one of allowedCommands. It is looked for on the system only.",
    },
    args: {
      type: "array",
      items: { type: "string" },
      maxItems: MAX_ITEMS,
      description:
        "Its arguments. {{name}} stands for an argument of the call, and never becomes more than one of the program's unless it is a list.",
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
      description: "It is looked for on the system only.",
    },
    script: {
      type: "string",
      minLength: 1,
      description: "The text of the script. Its first argument is the call's arguments, as JSON.",
    },
  },
} as const satisfies Schema;

export const TOOL_SCHEMA = { type: "object", oneOf: [COMMAND_TOOL, INLINE_TOOL] } as const satisfies Schema;

export type Interpreter = (typeof INLINE_TOOL)["properties"]["interpreter"]["enum"][number];

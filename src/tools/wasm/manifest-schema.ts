// The manifest of a wasm tool. The schema checks it, and is published.
import type { Schema } from "../../config/schema.ts";
import { CAPABILITIES, GUEST_LIMITS } from "../../config/tool-schema.ts";

const TEXT: Schema = { type: "string", minLength: 1 };

export const MANIFEST_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["name", "version", "description", "entry", "inputSchema"],
  properties: {
    $schema: { type: "string", description: "The location of this schema, for editors." },
    name: {
      type: "string",
      pattern: "^[A-Za-z][A-Za-z0-9_.-]{0,63}$",
      description:
        "The name that the model uses: a letter, then letters, digits, _ - and dots, at most 64 characters.",
    },
    version: { ...TEXT, description: "The version of the tool, for its author." },
    description: { ...TEXT, description: "Describes the purpose of the tool to the model." },
    entry: {
      type: "string",
      enum: ["tool.wasm", "tool.js"],
      description:
        "The code, in the tool's folder: a WASI preview1 command, or a JavaScript module with a default export.",
    },
    sha256: {
      type: "string",
      pattern: "^[0-9a-f]{64}$",
      description:
        "The SHA-256 of the code. With it, hotcell runs no other code. hotcell tool build sets it.",
    },
    inputSchema: { type: "object", description: "The JSON Schema of its input, of type object." },
    outputSchema: { type: "object", description: "The JSON Schema of its output, of type object." },
    capabilities: {
      ...CAPABILITIES,
      description: "What the tool needs. Each has to be granted too, where the tool is loaded.",
    },
    limits: {
      ...GUEST_LIMITS,
      description: "The limits of one call. The configuration may lower them.",
    },
  },
} as const satisfies Schema;

export const MANIFEST_FILE = "manifest.json";

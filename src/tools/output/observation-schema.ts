import type { JsonObject } from "../../core/json.ts";
import type { Tool } from "../define-tool.ts";

/** The JSON Schema of a tool's observations, in the shape of its toolset; null if the tool does not describe its output. */
export function observationSchema({ toolset, outputSchema }: Tool): JsonObject | null {
  if (outputSchema === null) return null;
  if (toolset === "studio" || toolset === "web") return studioSchema(outputSchema);
  return toolset === "mounts" ? mountsSchema(outputSchema) : sidecarSchema(outputSchema);
}

const META = {
  type: "object",
  properties: {
    callId: { type: "string" },
    outcome: { enum: ["executed_ok", "executed_error", "not_executed"] },
    session: { anyOf: [{ type: "string" }, { type: "null" }] },
    changes: { anyOf: [{ type: "object" }, { type: "null" }] },
  },
  required: ["callId", "outcome", "session", "changes"],
} as const;

const FAILURE = {
  type: "object",
  properties: { code: { type: "string" }, message: { type: "string" } },
  required: ["code", "message"],
} as const;

function sidecarSchema(output: JsonObject): JsonObject {
  return {
    type: "object",
    properties: {
      success: { type: "boolean" },
      tool: { type: "string" },
      output: { anyOf: [output, { type: "null" }] },
      error: { anyOf: [FAILURE, { type: "null" }] },
      meta: META,
    },
    required: ["success", "tool", "output", "error", "meta"],
  };
}

function studioSchema(output: JsonObject): JsonObject {
  return {
    type: "object",
    properties: { ...(output.properties as JsonObject), meta: META },
    required: ["output", "metadata", "isError", "meta"],
  };
}

/** A failure has `error` instead of the output. */
function mountsSchema(output: JsonObject): JsonObject {
  return {
    type: "object",
    properties: { ok: { type: "boolean" }, meta: META },
    required: ["ok", "meta"],
    anyOf: [output, { type: "object", properties: { error: FAILURE }, required: ["error"] }],
  };
}

// 004's tools with their schemas and without effects, for tests of the steps before a tool runs.
import type { JsonObject } from "../../../src/core/json.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import type { DangerLevel, Effect, ToolCategory } from "../../../src/core/types.ts";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";

interface StandIn {
  readonly name: string;
  readonly toolset: string;
  readonly category: ToolCategory;
  readonly danger: DangerLevel;
  readonly effect: Effect;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly run?: (args: JsonObject) => JsonObject;
}

function standIn({ properties, required, run, ...spec }: StandIn): Tool {
  return defineTool({
    ...spec,
    description: `Stands in for ${spec.name}.`,
    input: { type: "object", properties, required, additionalProperties: false },
    needs: [],
    subject: "path" in properties ? "path" : "command" in properties ? "command" : "none",
    run: (args: JsonObject) => run?.(args) ?? { ran: args },
  });
}

const PATH = { type: "string", format: "path" };
const COMMAND = { type: "string", pattern: "^[^\\0]+$" };

const LOOK = { danger: "safe", effect: "read" } as const;
const ACT = { danger: "dangerous", effect: "change" } as const;

export const STUDIO_STAND_INS: readonly Tool[] = [
  standIn({
    name: "file_read",
    toolset: "stand-in",
    category: "file",
    ...LOOK,
    properties: { path: PATH },
    required: ["path"],
  }),
  standIn({
    name: "file_write",
    toolset: "stand-in",
    category: "file",
    ...ACT,
    properties: { path: PATH, content: { type: "string" } },
    required: ["path", "content"],
  }),
  standIn({
    name: "bash",
    toolset: "stand-in",
    category: "exec",
    ...ACT,
    properties: { command: COMMAND, timeout: { type: "integer", minimum: 1 } },
    required: ["command"],
    run: ({ timeout }) => ({ timeoutMs: Math.min(Number(timeout ?? 60) * 1000, LIMITS.maxTimerMs) }),
  }),
  standIn({
    name: "web_search",
    toolset: "stand-in",
    category: "search",
    ...LOOK,
    properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
    required: ["query"],
  }),
];

// Tools of later issues, with the schemas of their documents (002 `fs.*`, 004 the rest) and no effects,
// so that what happens before a tool runs can be tested today.
import { createHash } from "node:crypto";
import { HotcellError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { LIMITS } from "../../src/core/limits.ts";
import type { DangerLevel, Effect, ToolCategory } from "../../src/core/words.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";

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
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    needs: [],
    subject: "path" in properties ? "path" : "command" in properties ? "command" : "none",
    run: (args: JsonObject) => run?.(args) ?? { ran: args },
  });
}

const PATH = { type: "string", format: "path" };
const COMMAND = { type: "string", pattern: "^[^\\0]+$" };
// It takes null so that null is not read as "absent": that would drop the condition.
const SHA256 = { type: ["string", "null"], pattern: "^[0-9a-fA-F]{64}$" };
const STORED_SHA256 = createHash("sha256").update("what the stand-in's file holds").digest("hex");
const MAX_WRITE_BYTES = 100_000;

const LOOK = { danger: "safe", effect: "read" } as const;
const ACT = { danger: "dangerous", effect: "change" } as const;
const MOUNTS = { toolset: "mounts", category: "file" } as const;

export const MOUNT_STAND_INS: readonly Tool[] = [
  standIn({ name: "fs.list", ...MOUNTS, ...LOOK, properties: { path: PATH }, required: ["path"] }),
  standIn({
    name: "fs.read",
    ...MOUNTS,
    ...LOOK,
    properties: {
      path: PATH,
      startLine: { type: "integer", minimum: 1 },
      endLine: { type: "integer", minimum: 1 },
    },
    required: ["path"],
    run: readRange,
  }),
  standIn({
    name: "fs.search",
    ...MOUNTS,
    ...LOOK,
    properties: {
      path: PATH,
      pattern: { type: "string" },
      before: { type: "integer", minimum: 0 },
      after: { type: "integer", minimum: 0 },
      maxMatches: { type: "integer", minimum: 1 },
    },
    required: ["path", "pattern"],
  }),
  standIn({
    name: "fs.write",
    ...MOUNTS,
    ...ACT,
    properties: { path: PATH, content: { type: "string" }, ifMatchSha256: SHA256 },
    required: ["path", "content"],
    run: write,
  }),
  standIn({
    name: "fs.apply_patch",
    ...MOUNTS,
    ...ACT,
    properties: {
      path: PATH,
      patch: {
        type: "object",
        properties: {
          operation: { const: "updateFrontmatter" },
          update: { type: "object" },
          ifMatchSha256: SHA256,
        },
        required: ["operation", "update"],
        additionalProperties: true,
      },
    },
    required: ["path", "patch"],
  }),
];

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
    run: ({ timeout }) => ({ timeoutMs: Math.min(Number(timeout ?? 60) * 1000, LIMITS.maxTimeoutMs) }),
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

function readRange({ startLine = 1, endLine }: JsonObject): JsonObject {
  if (endLine !== undefined && Number(endLine) < Number(startLine)) {
    throw new HotcellError("INVALID_ARGUMENTS", "Could not read: endLine is before startLine.");
  }
  return { lines: [] };
}

function write({ content, ifMatchSha256 }: JsonObject): JsonObject {
  if (ifMatchSha256 !== undefined && String(ifMatchSha256).toLowerCase() !== STORED_SHA256) {
    throw new HotcellError("PRECONDITION_FAILED", "Could not write: the file is another version.");
  }
  const bytes = Buffer.byteLength(String(content));
  if (bytes > MAX_WRITE_BYTES) throw new HotcellError("FILE_TOO_LARGE", `Could not write ${bytes} bytes.`);
  return { bytesWritten: bytes };
}

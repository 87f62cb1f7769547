import type { JsonObject } from "../core/json.ts";
import type { Tool } from "../tools/define-tool.ts";

/** What executes a call. Gives the tool's output or throws. */
export interface Runner {
  run(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

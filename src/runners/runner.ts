import type { JsonObject } from "../core/json.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PathCheck } from "../workspace/view.ts";

/** What executes a call. Gives the tool's output or throws. */
export interface Runner {
  /** `check` is asked for each path that the tool comes to, and throws to refuse. */
  run(tool: Tool, args: JsonObject, check: PathCheck, signal: AbortSignal): Promise<JsonObject>;
}

import type { JsonObject } from "../core/json.ts";
import type { Told } from "../core/words.ts";
import type { OutputStream } from "../shield/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PathCheck } from "../workspace/view.ts";

/** What surrounds one run. */
export interface RunContext {
  readonly signal: AbortSignal;
  /** The longest it may take. */
  readonly timeoutMs: number;
  /** Passes on what it writes out, as it comes. */
  emit(stream: OutputStream, bytes: Uint8Array): void;
  /** Says what the observation's meta should know. */
  tell(told: Told): void;
}

/** What executes a call. Gives the tool's output or throws. */
export interface Runner {
  /** `check` is asked for each path that the tool comes to, and throws to refuse. */
  run(tool: Tool, args: JsonObject, check: PathCheck, context: RunContext): Promise<JsonObject>;
}

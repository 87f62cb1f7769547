import type { JsonObject } from "../core/json.ts";
import type { Progress, RunMeta } from "../core/types.ts";
import type { OutputStream } from "../shield/process/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PathCheck } from "../workspace/files/view.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";

/** The context of one run. */
export interface RunContext {
  readonly signal: AbortSignal;
  readonly agentId: string | null;
  readonly timeoutMs: number;
  /** Passes output on as it arrives. */
  emit(stream: OutputStream, bytes: Uint8Array): void;
  /** Reports progress. */
  progress(seen: Omit<Progress, "kind">): void;
  /** Adds fields to the observation's meta. */
  tell(told: RunMeta): void;
}

/** Executes a call. Returns the tool's output or throws. */
export interface Runner {
  /** `files` resolves the tool's paths; `check` gets each path before the tool uses it, and throws to refuse it. */
  run(
    tool: Tool,
    args: JsonObject,
    reach: { readonly files: WorkspaceFS; readonly check: PathCheck },
    context: RunContext,
  ): Promise<JsonObject>;
}

import type { JsonObject } from "../core/json.ts";
import type { Progress, RunMeta } from "../core/types.ts";
import type { ModelSpending } from "../models/gateway.ts";
import type { OutputStream } from "../shield/process/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PathCheck } from "../workspace/files/view.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";

/** The context of one run. */
export interface RunnerContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly agentId: string | null;
  readonly timeoutMs: number;
  /** The time limit that the caller's scope sets, which a call cannot extend; null if it sets none. */
  readonly scopeTimeoutMs: number | null;
  /** The version that a person saw and approved, such as the hash of a plan; null if nobody was shown one. */
  readonly approvedVersion: string | null;
  /** Where the use of the model is counted; null outside a run. */
  readonly spending: ModelSpending | null;
  /** Passes output on as it arrives. */
  emit(stream: OutputStream, bytes: Uint8Array): void;
  /** Reports progress. */
  progress(seen: Omit<Progress, "kind">): void;
  /** Adds fields to the observation's meta. */
  reportMeta(meta: RunMeta): void;
}

/** Executes a call. Returns the tool's output or throws. */
export interface Runner {
  /** `files` resolves the tool's paths; `check` gets each path before the tool uses it, and throws to refuse it. */
  run(
    tool: Tool,
    args: JsonObject,
    reach: { readonly files: WorkspaceFS; readonly check: PathCheck },
    context: RunnerContext,
  ): Promise<JsonObject>;
}

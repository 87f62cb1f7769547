import type { JsonObject } from "../core/json.ts";
import type { Progress, RunMeta } from "../core/types.ts";
import type { OutputStream } from "../shield/process/command.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PathCheck } from "../workspace/files/view.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";

/** What surrounds one run. */
export interface RunContext {
  readonly signal: AbortSignal;
  readonly agentId: string | null;
  /** The longest it may take. */
  readonly timeoutMs: number;
  /** Passes on what it writes out, as it comes. */
  emit(stream: OutputStream, bytes: Uint8Array): void;
  /** Says how far it is. */
  progress(seen: Omit<Progress, "kind">): void;
  /** Says what the observation's meta should know. */
  tell(told: RunMeta): void;
}

/** What executes a call. Gives the tool's output or throws. */
export interface Runner {
  /** `files` are where the tool's paths lead; `check` is asked for each path that it comes to, and throws to refuse. */
  run(
    tool: Tool,
    args: JsonObject,
    reach: { readonly files: WorkspaceFS; readonly check: PathCheck },
    context: RunContext,
  ): Promise<JsonObject>;
}

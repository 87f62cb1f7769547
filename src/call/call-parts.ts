import type { Approve } from "../approval/approve.ts";
import type { RememberedAnswers } from "../approval/remembered.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallEvent, CallMeta } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import type { ModelSpending } from "../models/gateway.ts";
import type { Policy } from "../policy/judge.ts";
import type { ToolScope } from "../policy/scope.ts";
import type { Runner } from "../runners/runner.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { Registry } from "../tools/registry.ts";
import type { SessionKit } from "../tools/session/session-kit.ts";
import type { Validated } from "../tools/validate.ts";
import type { RunInContext } from "./in-session.ts";
import type { ToolFilesystem } from "./tool-filesystems.ts";

/** The dependencies of a call; a cell has one set for all its calls. */
export interface CallParts {
  readonly registry: Registry;
  readonly validate: (tool: Tool, args: JsonObject) => Validated;
  readonly policy: Policy;
  /** The filesystem in which a tool's paths are resolved. */
  readonly filesystemOf: (tool: Tool, paths: readonly string[]) => ToolFilesystem;
  /** Whether a tool's changes stay in the session until a commit, provided that its paths do. */
  readonly contains: (tool: Tool) => boolean;
  /** The toolset that shapes the observation of a call to an unknown tool. */
  readonly toolset: string;
  readonly scope: ToolScope | null;
  /** The directories in the project to which the caller keeps, relative to it; all of it if omitted. */
  readonly roots?: readonly string[];
  readonly approve: Approve | null;
  readonly remembered: RememberedAnswers;
  /** The project's path, for questions. */
  readonly project: string;
  readonly runner: Runner;
  readonly runInContext: RunInContext;
  /** The session as a whole; null on the host. */
  readonly session: SessionKit | null;
  readonly log: Log;
  /** Receives output and progress while a call runs. */
  readonly onEvent?: (event: CallEvent) => void;
  /** Where tools that ask the model are counted, in an agent run. */
  readonly spending?: ModelSpending;
  readonly agentId: string | null;
  /** The time limit of a call if neither its scope nor its tool sets one. */
  readonly timeoutMs: number;
  /** The most that an observation of `run_js` shows, as JSON. */
  readonly observationBytes: number;
  /** The cell's part of the meta of every observation. */
  readonly cell: Pick<CallMeta, "session" | "strategy" | "isolation">;
  readonly newId: () => string;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

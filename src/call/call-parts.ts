import type { Approve } from "../approval/approve.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallEvent, Meta } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import type { Policy } from "../policy/judge.ts";
import type { ToolScope } from "../policy/scope.ts";
import type { Runner } from "../runners/runner.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { Registry } from "../tools/registry.ts";
import type { Validated } from "../tools/validate.ts";
import type { Around } from "./in-session.ts";
import type { ToolFilesystems } from "./tool-filesystems.ts";

/** The dependencies of a call; a cell has one set for all its calls. */
export interface CallParts {
  readonly registry: Registry;
  readonly validate: (tool: Tool, args: JsonObject) => Validated;
  readonly policy: Policy;
  /** The filesystem in which a tool's paths are resolved. */
  readonly placesOf: (tool: Tool) => ToolFilesystems;
  /** Whether a tool's changes stay in the session until a commit, provided that its paths do. */
  readonly contains: (tool: Tool) => boolean;
  /** The toolset that shapes the observation of a call to an unknown tool. */
  readonly toolset: string;
  readonly scope: ToolScope | null;
  readonly approve: Approve | null;
  readonly runner: Runner;
  readonly around: Around;
  readonly log: Log;
  /** Receives output and progress while a call runs. */
  readonly onEvent?: (event: CallEvent) => void;
  readonly agentId: string | null;
  /** The time limit of a call if neither its scope nor its tool sets one. */
  readonly timeoutMs: number;
  /** The cell's part of the meta of every observation. */
  readonly cell: Pick<Meta, "session" | "strategy" | "isolation">;
  readonly newId: () => string;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

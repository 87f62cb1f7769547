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

/** What the life of a call needs; a cell holds one for all its calls. */
export interface CallParts {
  readonly registry: Registry;
  readonly validate: (tool: Tool, args: JsonObject) => Validated;
  readonly policy: Policy;
  /** Where the paths of a tool lead. */
  readonly placesOf: (tool: Tool) => ToolFilesystems;
  /** Whether what a tool changes stays in the cell until somebody takes it out, as long as its paths do. */
  readonly contains: (tool: Tool) => boolean;
  /** Which toolset shapes the answer to a call of no tool that is known. */
  readonly toolset: string;
  readonly scope: ToolScope | null;
  readonly approve: Approve | null;
  readonly runner: Runner;
  readonly around: Around;
  readonly log: Log;
  /** Told while a call runs. */
  readonly onEvent?: (event: CallEvent) => void;
  readonly agentId: string | null;
  /** The longest a call may take when its scope says nothing else. */
  readonly timeoutMs: number;
  /** What every observation of this cell says of it. */
  readonly cell: Pick<Meta, "session" | "strategy" | "isolation">;
  readonly newId: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

import type { Approve } from "../approval/approve.ts";
import type { FileLimits } from "../core/types.ts";
import type { CommandLimits } from "../shield/process/command.ts";
import type { FilesOptions } from "../workspace/open-files.ts";
import type { RulebookOptions } from "./tools-and-policy.ts";

export interface CellOptions extends FilesOptions, Omit<RulebookOptions, "fs"> {
  /** Asked when a rule or the trust level says so. Without it such calls are denied. */
  readonly approve?: Approve;
  readonly agentId?: string;
  /** What agents may read and write at once with tools on mount paths, by their ids; what is left out keeps its default. */
  readonly agents?: Readonly<Record<string, Partial<FileLimits>>>;
  /** Values that must not appear in the log. */
  readonly secrets?: readonly string[];
  /** The longest one call may take, unless its tool or the scope says otherwise. */
  readonly timeoutMs?: number;
  /** Of commands; what is left out keeps its default. */
  readonly limits?: Partial<Omit<CommandLimits, "timeoutMs">>;
  /** Directories outside the system that commands may read and run from. */
  readonly toolchains?: readonly string[];
  /** Variables that every command has beside PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>;
}

// The interface for tools that run commands. The sandbox is behind it: no tool starts a process itself.
import type { RefusedHost } from "../core/types.ts";
import type { Captured } from "../shield/process/capture-output.ts";
import type { CommandEnd, CommandLimits } from "../shield/process/command.ts";
import type { BackgroundProcess, Processes } from "../shield/processes.ts";

export interface CommandRequest {
  /** A program and its arguments; no shell interprets them. */
  readonly argv: readonly [string, ...string[]];
  /** A directory of the workspace. @default its root */
  readonly cwd?: string;
  /** Throws above `limits.maxTimeoutMs`. @default the time limit of the call */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The command gets only `env`, not the variables that other commands of the cell get. */
  readonly bareEnv?: boolean;
  /** Values that are removed from its output. */
  readonly secrets?: readonly string[];
  /** The command sees the workspace read-only. */
  readonly readOnly?: boolean;
  /** The limit of the shown output, both streams together, cut between lines. @default the cell's limit for each stream */
  readonly maxShownBytes?: number;
  /** `stdout` also contains standard error, in the order in which both were written. */
  readonly stderrToStdout?: boolean;
  /** The command of a person: it inherits this process's input and output, and has no time limit. */
  readonly attached?: boolean;
  /** The same, in a terminal of the sandbox's own, which this process connects with its terminal. */
  readonly terminal?: boolean;
}

export interface CommandResult extends CommandEnd, Captured {
  /** Sentences that help a model to understand the output. */
  readonly notes: readonly string[];
  /** The limits that applied to the command. */
  readonly limits: CommandLimits;
  /** Hosts that commands could not reach while it ran. */
  readonly refusedHosts: readonly RefusedHost[];
}

export interface Commands {
  /** Resolves when the command has ended, however it ended. Throws if the command could not be started. */
  run(request: CommandRequest): Promise<CommandResult>;
  /** Starts a background process, which runs until it ends, is stopped, or the cell is closed. */
  start(request: CommandRequest, label: string): Promise<BackgroundProcess>;
  readonly processes: Pick<Processes, "list" | "output" | "stop">;
}

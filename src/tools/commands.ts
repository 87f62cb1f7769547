// What a tool that runs commands is given. The shield is behind it: no tool starts a process by itself.
import type { Captured } from "../shield/process/capture-output.ts";
import type { CommandEnd, CommandLimits } from "../shield/process/command.ts";
import type { BackgroundProcess, Processes } from "../shield/processes.ts";

export interface CommandRequest {
  /** A program and its arguments; no shell looks at them. */
  readonly argv: readonly [string, ...string[]];
  /** A directory of the workspace; its root when left out. */
  readonly cwd?: string;
  /** At most the time that the call has, which is taken when this is left out. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** `env` is all that it has: not even what every command of the cell has. */
  readonly bareEnv?: boolean;
  /** The workspace can't be changed by it. */
  readonly readOnly?: boolean;
  /** What it writes to standard error is in `stdout` too, in the order in which it was written. */
  readonly stderrToStdout?: boolean;
  /** Its input and output are this process's own, and it may take its time: a person's command. */
  readonly attached?: boolean;
}

export interface CommandResult extends CommandEnd, Captured {
  /** Under which it ran. */
  readonly limits: CommandLimits;
}

export interface Commands {
  /** Gives how it ended, whatever it did. Throws when it could not be started. */
  run(request: CommandRequest): Promise<CommandResult>;
  /** Starts what goes on while other calls run, as long as the cell is open. */
  start(request: CommandRequest, label: string): Promise<BackgroundProcess>;
  readonly processes: Pick<Processes, "list" | "output" | "stop">;
}

import type { CommandLimits, ShieldedCommand } from "./command.ts";
import type { StartedProcess } from "./start-process.ts";

export interface StartOptions {
  readonly attached: boolean;
  readonly limits: CommandLimits;
  /** Called when it has a process, before it begins. */
  readonly place: (pid: number) => void;
}

/** One way to shield a command, as strong as the machine allows. */
export interface Tier {
  readonly isolation: "full" | "landlock";
  /** Whether it runs as the machine's root, whose processes the kernel does not count. */
  readonly asRoot: boolean;
  start(command: ShieldedCommand, options: StartOptions): Promise<StartedProcess>;
  close(): void;
}

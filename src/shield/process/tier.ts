import type { CommandLimits, ShieldedCommand } from "./command.ts";
import type { StartedProcess } from "./start-process.ts";

export interface StartOptions {
  readonly attached: boolean;
  readonly limits: CommandLimits;
  readonly onBegin: () => void;
}

/** One way to shield a command, as strong as the machine allows. */
export interface Tier {
  readonly isolation: "full" | "landlock";
  /** Whether it runs as the machine's root, whose processes the kernel does not count. */
  readonly asRoot: boolean;
  start(command: ShieldedCommand, options: StartOptions): Promise<StartedProcess>;
  close(): Promise<void>;
}

import type { CommandLimits, ShieldedCommand } from "./command.ts";
import type { Stdio } from "./spawn-isolated.ts";
import type { StartedProcess } from "./start-process.ts";

export interface StartOptions {
  readonly stdio: Stdio;
  readonly limits: CommandLimits;
  readonly onBegin: () => void;
}

/** One kind of sandbox for commands. */
export interface Tier {
  readonly isolation: "full" | "landlock";
  /** Whether commands run as the machine's root, whose processes the kernel does not limit. */
  readonly asRoot: boolean;
  start(command: ShieldedCommand, options: StartOptions): Promise<StartedProcess>;
  close(): Promise<void>;
}

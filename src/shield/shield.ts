// The shield of a cell: every command runs in its own sandbox, on the cell's one view of the files, under limits.
import { type ChosenTier, openTier } from "./choose-tier.ts";
import type { NamespacesOptions } from "./namespaces/namespaces-tier.ts";
import type { CommandEnd, CommandLimits, LimitReport, OnOutput, ShieldedCommand } from "./process/command.ts";
import { limitReport } from "./process/limits.ts";
import { passInterrupts } from "./process/pass-interrupts.ts";
import { supervise } from "./process/supervise.ts";
import { type DiskMeter, startDiskMeter } from "./process/watch-usage.ts";

export interface RunOptions {
  readonly limits: CommandLimits;
  /** The command inherits the input and output of this process. */
  readonly attached?: boolean;
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput;
  /** Called when the command begins. */
  readonly onStart?: (shielded: Pick<ChosenTier, "isolation" | "weakened">) => void;
}

export interface ShieldedEnd extends CommandEnd {
  readonly report: LimitReport;
}

export interface Shield {
  /** Resolves when the command and all its descendants have ended. Throws NO_SANDBOX if this machine has no sandbox for it. */
  run(command: ShieldedCommand, options: RunOptions): Promise<ShieldedEnd>;
  close(): Promise<void>;
}

interface Opened {
  readonly tier: ChosenTier;
  readonly disk: DiskMeter;
}

async function open(options: NamespacesOptions): Promise<Opened> {
  return {
    tier: await openTier(options),
    disk: startDiskMeter(options.ground.disk),
  };
}

export function openShield(options: NamespacesOptions): Shield {
  let opening: Promise<Opened> | null = null;
  /** The kernel may count ended processes in a cgroup for a moment longer. No command waits for the removal of a cgroup. */
  let leaving: Promise<unknown> = Promise.resolve();
  return {
    async run(command, { limits, attached = false, signal, onOutput, onStart }) {
      opening ??= open(options).catch((error) => {
        opening = null;
        throw error;
      });
      const { tier, disk } = await opening;
      const isDiskOver = disk(limits.diskBytes);
      const onBegin = () => onStart?.(tier);
      const started = await tier.start(command, { attached, limits, onBegin });
      const { cgroup } = started;
      const endInterrupts = attached ? passInterrupts(started) : () => {};
      try {
        const report = limitReport(tier, cgroup !== null);
        const usage = { limits, report, pid: started.pid, isDiskOver };
        const ranOutOfMemory = () => cgroup?.ranOutOfMemory() ?? false;
        const end = await supervise(started, { limits, usage, signal, onOutput, ranOutOfMemory });
        return { ...end, report };
      } finally {
        endInterrupts();
        leaving = Promise.all([leaving, cgroup?.close()]);
      }
    },
    async close() {
      // The caller of `run` already got the error of a tier that failed to open.
      await (await opening?.catch(() => null))?.tier.close();
      await leaving;
    },
  };
}

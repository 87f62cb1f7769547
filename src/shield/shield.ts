// The shield of a cell: every command runs in its own sandbox, on the cell's one view of the files, under limits.
import { bytesIn } from "../workspace/session/registry/bytes-in.ts";
import { type ChosenTier, openTier } from "./choose-tier.ts";
import type { NamespacesOptions } from "./namespaces/namespaces-tier.ts";
import type { CommandEnd, CommandLimits, LimitReport, OnOutput, ShieldedCommand } from "./process/command.ts";
import { limitReport } from "./process/limits.ts";
import { passInterrupts } from "./process/pass-interrupts.ts";
import type { Stdio } from "./process/spawn-isolated.ts";
import { supervise } from "./process/supervise.ts";
import { type DiskMeter, type DiskUse, homeIsFull, startDiskMeter } from "./process/watch-usage.ts";
import { connectTerminal } from "./terminal/connect-terminal.ts";

export interface RunOptions {
  readonly limits: CommandLimits;
  /** @default "captured" */
  readonly stdio?: Stdio;
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
  /** Of a home that lasts. */
  readonly home: DiskMeter | null;
}

async function open(options: NamespacesOptions): Promise<Opened> {
  return {
    tier: await openTier(options),
    disk: startDiskMeter(options.commandView.disk),
    home: options.commandView.home === null ? null : startDiskMeter(homeUse(options.commandView.home)),
  };
}

/** A program may take away its own rights to a directory, and write there by an open file. */
function homeUse(dir: string): DiskUse {
  return { dir, measure: () => bytesIn(dir, "closed"), explain: homeIsFull };
}

export function openShield(options: NamespacesOptions): Shield {
  let opening: Promise<Opened> | null = null;
  /** The kernel may count ended processes in a cgroup for a moment longer. No command waits for the removal of a cgroup. */
  let leaving: Promise<unknown> = Promise.resolve();
  return {
    async run(command, { limits, stdio = "captured", signal, onOutput, onStart }) {
      opening ??= open(options).catch((error) => {
        opening = null;
        throw error;
      });
      const { tier, disk, home } = await opening;
      const isDiskOver = disk(limits.diskBytes);
      const isHomeOver = home?.(limits.homeBytes) ?? (() => false);
      const onBegin = () => onStart?.(tier);
      const started = await tier.start(command, { stdio, limits, onBegin });
      const { cgroup } = started;
      const endInterrupts = stdio === "inherited" ? passInterrupts(started) : () => {};
      const restore = started.terminal && connectTerminal(started.terminal);
      try {
        const report = limitReport(tier, cgroup !== null);
        const usage = { limits, report, pid: started.pid, isDiskOver, isHomeOver };
        const ranOutOfMemory = () => cgroup?.ranOutOfMemory() ?? false;
        const end = await supervise(started, { limits, usage, signal, onOutput, ranOutOfMemory });
        return { ...end, report };
      } finally {
        endInterrupts();
        await restore?.();
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

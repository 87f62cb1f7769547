// Supervises a command from start to end: passes its output on, and ends it at the first limit that it reaches.
import type { CommandEnd, CommandLimits, Exceeded, OnOutput, Termination } from "./command.ts";
import { GRACE_MS } from "./limits.ts";
import type { StartedProcess } from "./start-process.ts";
import { type Usage, watchUsage } from "./watch-usage.ts";

export interface Supervision {
  readonly limits: CommandLimits;
  readonly usage: Usage;
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput;
  /** Whether the kernel's OOM killer ended a process. */
  readonly ranOutOfMemory: () => boolean;
}

export async function supervise(process: StartedProcess, how: Supervision): Promise<CommandEnd> {
  const startedAt = performance.now();
  const ending = createEnding(process);
  const timer = setTimeout(() => ending.gently("timeout"), how.limits.timeoutMs);
  const cancel = () => ending.gently("cancelled");
  if (how.signal.aborted) cancel();
  how.signal.addEventListener("abort", cancel, { once: true });
  let exceeded: Exceeded | null = null;
  const endWatch = watchUsage(how.usage, (what) => {
    exceeded = what;
    ending.atOnce(TERMINATION[what]);
  });
  forwardOutput(process, how, () => ending.atOnce("output"));
  try {
    const { exitCode, signal } = await process.ended;
    const termination = ending.reason() ?? (how.ranOutOfMemory() ? "oom" : signal === null ? null : "signal");
    return { exitCode, signal, termination, exceeded, durationMs: performance.now() - startedAt };
  } finally {
    clearTimeout(timer);
    ending.done();
    endWatch();
    how.signal.removeEventListener("abort", cancel);
  }
}

const TERMINATION: Readonly<Record<Exceeded, Termination>> = {
  memory: "oom",
  processes: "policy",
  disk: "policy",
  home: "policy",
};

/** Keeps the first reason. */
function createEnding(process: StartedProcess) {
  let reason: Termination | null = null;
  let grace: NodeJS.Timeout | undefined;
  return {
    reason: () => reason,
    gently(why: Termination): void {
      if (reason !== null) return;
      reason = why;
      process.terminate();
      grace = setTimeout(process.kill, GRACE_MS);
    },
    atOnce(why: Termination): void {
      reason ??= why;
      process.kill();
    },
    done: () => clearTimeout(grace),
  };
}

function forwardOutput(
  process: StartedProcess,
  { limits, onOutput }: Supervision,
  onTooMuchOutput: () => void,
): void {
  let total = 0;
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream]?.on("data", (bytes: Buffer) => {
      if (total > limits.outputBytes) return;
      total += bytes.length;
      onOutput(stream, bytes);
      if (total > limits.outputBytes) onTooMuchOutput();
    });
  }
}

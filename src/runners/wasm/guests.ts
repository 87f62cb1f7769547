// Runs the modules of wasm tools in guest processes, tells their limits apart, and reports what they used.
import { randomUUID } from "node:crypto";
import type { HotcellError } from "../../core/errors.ts";
import type { HostPort } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { Verdict, WasmMeta } from "../../core/types.ts";
import type {
  GuestLimits,
  GuestProgram,
  GuestRequest,
  GuestResult,
  Guests,
} from "../../tools/wasm/guests.ts";
import { pagesOf } from "../../wasm/contract.ts";
import type { MeteredModule } from "../../wasm/meter.ts";
import type { RunnerContext } from "../runner.ts";
import { createAnswers } from "./answer-message.ts";
import { throwIfLimited, timeoutError } from "./limit-errors.ts";
import { createOutput } from "./output.ts";
import { guestCrashError } from "./pool/guest-crash-error.ts";
import type { GuestPool } from "./pool/guest-pool.ts";
import { openGuestProcesses } from "./pool/open-processes.ts";
import { createRecorder } from "./recording/recording.ts";
import { serveFiles } from "./workspace-files.ts";

export type GuestsFor = (context: RunnerContext) => Guests;

export interface GuestsOptions {
  /** What no manifest exceeds. */
  readonly maxTimeoutMs: number;
  readonly maxMemoryMiB: number;
  readonly processes: number;
  readonly judgeHost: (target: HostPort) => Verdict;
  /** Keeps the recording of a call, and gives its id. If it is given, all calls are deterministic. */
  readonly keepRecording?: (recording: Uint8Array) => string;
}

export interface OpenedGuests {
  readonly guestsFor: GuestsFor;
  close(): Promise<void>;
}

export function openGuests(options: GuestsOptions): OpenedGuests {
  const processes = openGuestProcesses(options.processes, options.maxMemoryMiB);
  const metered = new Map<string, MeteredModule>();
  const meter = (program: GuestProgram, memoryMiB: number) => {
    const pages = pagesOf(memoryMiB);
    const key = `${program.moduleKey}:${pages}`;
    const known = metered.get(key) ?? program.meter(pages);
    metered.set(key, known);
    return { moduleKey: key, module: known };
  };
  return {
    guestsFor: (context) => ({
      refusalOf: (target) => refusalBy(options.judgeHost(target)),
      run: (request) => {
        const limits = cappedLimits(request.limits, options, context);
        const { moduleKey, module } = meter(request.program, limits.memoryMiB);
        const { keepRecording } = options;
        return runInPool(
          { request, limits, moduleKey, module, pool: processes.pool, keepRecording },
          context,
        );
      },
    }),
    close: processes.close,
  };
}

/** The grant of a tool opens the way to its hosts. A rule can close it; nobody can be asked while a guest waits. */
function refusalBy({ decision, rule, reason }: Verdict): string | null {
  return decision === "allow" || rule.source === "built-in" ? null : `${quote(rule.text)}: ${reason}`;
}

/** A scope's time limit replaces the tool's own. */
function cappedLimits(
  asked: GuestLimits,
  { maxTimeoutMs, maxMemoryMiB }: GuestsOptions,
  context: RunnerContext,
): GuestLimits {
  return {
    timeoutMs: context.scopeTimeoutMs ?? Math.min(asked.timeoutMs, maxTimeoutMs),
    memoryMiB: Math.min(asked.memoryMiB, maxMemoryMiB),
    fuel: asked.fuel,
    areFixed: asked.areFixed ?? false,
  };
}

interface PooledRun {
  readonly request: GuestRequest;
  readonly limits: GuestLimits;
  readonly moduleKey: string;
  readonly module: MeteredModule;
  readonly pool: GuestPool;
  readonly keepRecording: GuestsOptions["keepRecording"];
}

async function runInPool(run: PooledRun, context: RunnerContext): Promise<GuestResult> {
  const { request, limits, moduleKey, module, pool, keepRecording } = run;
  const denied = new Set<string>();
  const output = createOutput(request, context);
  /** Aborts when the guest has ended: nobody waits for its last host call any more. */
  const over = new AbortController();
  let failedWrite: HotcellError | null = null;
  let hostCalls = 0;
  let used: Pick<WasmMeta, "fuel" | "memoryBytes" | "recording"> = { fuel: null, memoryBytes: null };
  const report = (hasStarted: boolean) =>
    context.reportMeta({
      ...(hasStarted && { isolation: "full" }),
      wasm: {
        ...used,
        hostCalls,
        denied: [...denied],
        sha256: request.program.sha256,
        ...(output.diagnostics() !== "" && { diagnostics: output.diagnostics() }),
      },
    });
  const files = request.mounts.map(({ files, access }) =>
    serveFiles(files, {
      access,
      onDenied: (name) => denied.add(name),
      onWriteFailed: (error) => {
        failedWrite = error;
      },
    }),
  );
  const hostCall = async (method: string, body: Uint8Array) => {
    if (++hostCalls > LIMITS.maxHostCalls) return TOO_MANY_CALLS;
    const notes = { denied: (capability: string) => void denied.add(capability), log: output.log };
    return request.hostCall(method, body, notes, over.signal);
  };
  const answer = createAnswers({ files, hostCall });
  const about = {
    tool: request.args[0] ?? "",
    program: request.program,
    module,
    memoryMiB: limits.memoryMiB,
  };
  const recorder = keepRecording && createRecorder(about, answer);
  const message = {
    script: request.program.script,
    args: request.args,
    env: request.env,
    mounts: request.mounts.map(({ at }) => at),
    fuel: limits.fuel,
    maxOutputBytes: output.maxStdoutBytes,
    maxDiagnosticBytes: output.maxStderrBytes,
    seed: recorder === undefined ? null : { startMs: Date.now(), random: randomUUID() },
  };
  const guest = await pool.take(about.tool, context.signal);
  const startedMs = performance.now();
  let ending: "time" | "cancel" | null = null;
  const stop = (why: "time" | "cancel") => {
    ending ??= why;
    void guest.kill();
  };
  const timer = setTimeout(() => stop("time"), limits.timeoutMs);
  const cancel = () => stop("cancel");
  context.signal.addEventListener("abort", cancel, { once: true });
  try {
    const { input } = request;
    const replies = recorder?.answer ?? answer;
    const end = await guest.run({
      moduleKey,
      module,
      message,
      input,
      answer: replies,
      onOutput: output.take,
    });
    const kept = recorder && keepRecording?.(recorder.finish({ message, input }, end, output.stdout()));
    used = { fuel: end.fuel, memoryBytes: end.memoryBytes, ...(kept && { recording: kept }) };
    if (end.status === "write") throw failedWrite ?? guestCrashError("a write failed");
    const { file } = request.program;
    throwIfLimited(end, limits, {
      tool: file === undefined ? about.tool : `${about.tool} (${quote(file)})`,
      denied: [...denied],
      outputBytes: output.stdout().length,
    });
    return {
      exitCode: end.exitCode,
      stdout: output.stdout(),
      stderr: output.diagnostics(),
      denied: [...denied],
    };
  } catch (error) {
    if (ending === null) throw error;
    if (ending === "cancel") throw context.signal.reason;
    const usedMs = Math.round(performance.now() - startedMs);
    throw timeoutError(limits, usedMs, context.scopeTimeoutMs !== null);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", cancel);
    over.abort();
    for (const each of files) each.closeAll();
    pool.give(guest);
    report(guest.hasStarted);
  }
}

const TOO_MANY_CALLS = JSON.stringify({
  error: {
    code: "DENIED",
    message: `The tool has made ${LIMITS.maxHostCalls} host calls, which is the limit of one call.`,
  },
});

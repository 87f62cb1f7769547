// The output of a guest, kept or passed on. The guest's process keeps to the limits by itself; a process that does not is
// no longer hotcell's program.
import { LIMITS } from "../../core/limits.ts";
import type { GuestRequest } from "../../tools/wasm/guests.ts";
import type { RunnerContext } from "../runner.ts";
import { guestCrashError } from "./pool/guest-crash-error.ts";

export interface GuestOutput {
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** Throws GUEST_CRASHED if the guest sends more than it may. */
  take(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /** A line beside those that the guest writes to standard error. */
  log(text: string): void;
  /** What was kept. */
  stdout(): Buffer;
  /** Standard error and the log, cut in the middle if they are long. */
  diagnostics(): string;
}

export function createOutput(
  { onStdout, onStderr }: Pick<GuestRequest, "onStdout" | "onStderr">,
  { emit }: Pick<RunnerContext, "emit">,
): GuestOutput {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const total = { stdout: 0, stderr: 0 };
  let logged = 0;
  const most = {
    stdout: onStdout === undefined ? LIMITS.maxGuestOutputBytes : Number.MAX_SAFE_INTEGER,
    stderr: onStderr === undefined ? LIMITS.maxGuestDiagnosticBytes : Number.MAX_SAFE_INTEGER,
  };
  const keepDiagnostic = (bytes: Buffer): void => {
    const kept = bytes.subarray(0, LIMITS.maxGuestDiagnosticBytes - logged);
    if (kept.length === 0) return;
    logged += kept.length;
    stderr.push(kept);
    emit("stderr", kept);
  };
  return {
    maxStdoutBytes: most.stdout,
    maxStderrBytes: most.stderr,
    take(stream, bytes) {
      total[stream] += bytes.length;
      if (total[stream] > most[stream]) throw guestCrashError(`it sent more than its output on ${stream}`);
      const pass = stream === "stdout" ? onStdout : onStderr;
      if (pass !== undefined) return pass(bytes);
      if (stream === "stdout") stdout.push(Buffer.from(bytes));
      else keepDiagnostic(Buffer.from(bytes));
    },
    log: (text) => keepDiagnostic(Buffer.from(text)),
    stdout: () => Buffer.concat(stdout),
    diagnostics: () => shownText(Buffer.concat(stderr)),
  };
}

/** The head and the tail: the reason of a failure is said last. */
function shownText(all: Buffer): string {
  const most = LIMITS.maxShownDiagnosticBytes;
  if (all.length <= most) return all.toString();
  const cut = `\n[… ${all.length - most} bytes …]\n`;
  return `${all.subarray(0, most / 2)}${cut}${all.subarray(-most / 2)}`;
}

import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type ErrorCode, HotcellError, osErrorCode } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { openGuests } from "../../../runners/wasm/guests.ts";
import type { GuestMount } from "../../../tools/wasm/guests.ts";
import { commandProgram } from "../../../tools/wasm/program.ts";
import { openHostWorkspace } from "../../../workspace/directory/host.ts";
import { interruptible } from "../interruptible.ts";
import { type Io, printNotes, usage } from "../io.ts";
import type { WasmRunFlags } from "./tool-commands.ts";

/** A person's module: its output and its exit code are given on. It sees the directories that are named, and changes them. */
export async function runWasm(
  io: Io,
  file: string,
  args: readonly string[],
  flags: WasmRunFlags,
): Promise<number> {
  const env = readVariables(flags.env);
  const code = readModule(io, file);
  const program = commandProgram(code, createHash("sha256").update(code).digest("hex"), LIMITS.toolMemoryMiB);
  const input = io.interactive ? Buffer.alloc(0) : await io.readStdin(LIMITS.maxModuleBytes);
  const stateDir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-wasm-"));
  const mounts: GuestMount[] = [];
  const { maxTimeoutMs, maxMemoryMiB } = LIMITS.wasm;
  const guests = openGuests({ maxTimeoutMs, maxMemoryMiB, processes: 1, judgeHost: NO_HOST });
  const errors = new TextDecoder();
  try {
    for (const text of flags.dir ?? []) mounts.push(openMount(io, text, stateDir));
    return await interruptible("end the module", async (signal) => {
      const result = await guests.guestsFor(contextOf(signal)).run({
        program,
        args: [path.basename(file), ...args],
        env,
        input,
        limits: {
          timeoutMs: maxTimeoutMs,
          memoryMiB: LIMITS.toolMemoryMiB,
          fuel: Number.MAX_SAFE_INTEGER,
          areFixed: true,
        },
        mounts,
        hostCall: async () => NO_HOST_CALLS,
        onStdout: (bytes) => void io.out(bytes),
        onStderr: (bytes) => io.err(errors.decode(bytes, { stream: true })),
      });
      return asExitCode(result.exitCode);
    });
  } catch (error) {
    if (!(error instanceof HotcellError) || !ENDED.has(error.code)) throw error;
    printNotes(io, `hotcell: ${error.message}`);
    return ABORTED;
  } finally {
    await guests.close();
    for (const { files } of mounts) files?.close();
    fs.rmSync(stateDir, { recursive: true });
  }
}

/** The module failed, or a limit ended it. */
const ENDED: ReadonlySet<string> = new Set<ErrorCode>([
  "TRAP",
  "TIMEOUT",
  "MEMORY_LIMIT",
  "FUEL_EXHAUSTED",
  "GUEST_CRASHED",
  // A write that waited and failed.
  "EXECUTION_ERROR",
]);
const ABORTED = 128 + os.constants.signals.SIGABRT;

/** The system keeps eight bits: none of them makes a failure a success. */
function asExitCode(code: number): number {
  return code === 0 ? 0 : code & 0xff || 1;
}

const NO_HOST_CALLS = JSON.stringify({
  error: { code: "CAPABILITY_DENIED", message: "hotcell wasm run has no host calls. Use hotcell tool run." },
});
const NO_HOST = () =>
  ({ decision: "deny", rule: { text: "no network", source: "built-in" }, reason: "" }) as const;

function contextOf(signal: AbortSignal) {
  return {
    callId: "wasm-run",
    signal,
    agentId: null,
    timeoutMs: LIMITS.wasm.maxTimeoutMs,
    scopeTimeoutMs: null,
    spending: null,
    approvedVersion: null,
    emit() {},
    progress() {},
    reportMeta() {},
  };
}

function readModule(io: Io, file: string): Buffer {
  try {
    return fs.readFileSync(path.resolve(io.cwd, file));
  } catch (error) {
    throw new HotcellError("USAGE", `Could not read the module ${quote(file)} (${osErrorCode(error)}).`);
  }
}

function readVariables(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [name, value] = text.split(/=(.*)/s);
      if (!name || value === undefined)
        throw usage(`Could not use --env ${quote(text)}; allowed is NAME=VALUE.`);
      return [name, value];
    }),
  );
}

function openMount(io: Io, text: string, stateDir: string): GuestMount {
  const [host = "", guest] = text.split("::");
  if (host === "") throw usage(`Could not use --dir ${quote(text)}; allowed is HOST::GUEST.`);
  const workspace = path.resolve(io.cwd, host);
  const files = openHostWorkspace({ workspace, stateDir, protectionOf: () => null });
  return { at: guest || host, files, access: "write" };
}

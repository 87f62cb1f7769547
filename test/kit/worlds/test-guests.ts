import { onTestFinished } from "vitest";
import { openGuests } from "../../../src/runners/wasm/guests.ts";
import type { GuestRequest, GuestResult } from "../../../src/tools/wasm/guests.ts";
import { commandProgram } from "../../../src/tools/wasm/program.ts";
import { compileWat } from "../compile-wat.ts";

const TIMEOUT_MS = 60_000;
const MEMORY_MIB = 16;

/** Commands, each from its text form, and a runner of them with one guest process. */
export function openTestGuests() {
  const guests = openGuests({
    maxTimeoutMs: TIMEOUT_MS,
    maxMemoryMiB: MEMORY_MIB,
    processes: 1,
    judgeHost: () => ({ decision: "deny", rule: { text: "", source: "built-in" }, reason: "" }),
  });
  onTestFinished(guests.close);
  const { run } = guests.guestsFor({
    callId: "c",
    signal: new AbortController().signal,
    agentId: null,
    timeoutMs: TIMEOUT_MS,
    scopeTimeoutMs: null,
    approvedVersion: null,
    spending: null,
    emit() {},
    progress() {},
    reportMeta() {},
  });
  return {
    /** The sha256 names the module in caches. */
    program: async (wat: string, sha256: string) => commandProgram(await compileWat(wat), sha256, MEMORY_MIB),
    run: (request: Pick<GuestRequest, "program"> & Partial<GuestRequest>): Promise<GuestResult> =>
      run({
        args: ["tested"],
        env: {},
        input: Buffer.alloc(0),
        limits: { timeoutMs: TIMEOUT_MS, memoryMiB: MEMORY_MIB, fuel: 1_000_000 },
        mounts: [],
        hostCall: async () => "{}",
        ...request,
      }),
  };
}

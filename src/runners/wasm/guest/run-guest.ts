// Runs a metered module once, in this process, until it ends.
import {
  engine,
  type WasmGlobal,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
} from "../../../wasm/engine.ts";
import type { MeterExports } from "../../../wasm/meter.ts";
import { WasiFault } from "../wasi/errno.ts";
import { GuestExit, type Preview1 } from "../wasi/preview1.ts";

/** `hotcell.call`: the reply as bytes. Throws a GuestStop to end the guest. */
export type HostCall = (method: string, request: Uint8Array) => Uint8Array;

/** A module that the meter has rewritten, with its fuel. */
export interface MeteredRun {
  readonly module: WasmModule;
  readonly names: MeterExports;
  readonly fuel: bigint;
  readonly preview1: Preview1;
  readonly hostCall: HostCall;
}

/** With "write", a write that waited in the guest's process failed: the guest was told that it had succeeded. */
export type GuestStatus = "exit" | "trap" | "fuel" | "output" | "write" | "invalid";

export interface GuestEnd {
  readonly status: GuestStatus;
  readonly exitCode: number;
  readonly fuel: number;
  readonly memoryBytes: number;
  /** It asked for more memory than it may have. */
  readonly memoryDenied: boolean;
  /** The engine's message of a trap. */
  readonly message: string;
}

/** Ends a guest from inside one of its calls. */
export class GuestStop extends Error {
  readonly status: GuestStatus;

  constructor(status: GuestStatus) {
    super(status);
    this.status = status;
  }
}

/** A command: a module with `_start`. */
export function runModule(run: MeteredRun): GuestEnd {
  const hotcell = { call: createHostImport(run.preview1, run.hostCall) };
  return runMetered(run, { hotcell }, (exports) => (exports._start as () => void)());
}

export function runMetered(
  { module, names, fuel, preview1 }: MeteredRun,
  imports: object,
  begin: (exports: WasmInstance["exports"]) => void,
): GuestEnd {
  const instance = createInstance(module, { wasi_snapshot_preview1: preview1.imports, ...imports });
  if (!("exports" in instance)) return instance;
  const { exports } = instance;
  const left = exports[names.fuel] as WasmGlobal<bigint>;
  const denied = exports[names.memoryDenied] as WasmGlobal<number>;
  const memory = exports.memory as WasmMemory;
  preview1.attach(memory);
  left.value = fuel;
  const ended = endOf(() => {
    if (names.start !== null) (exports[names.start] as () => void)();
    begin(exports);
  });
  return {
    ...ended,
    ...(ended.status === "trap" && left.value < 0n && { status: "fuel" }),
    fuel: Number(left.value < 0n ? fuel : fuel - left.value),
    memoryBytes: memory.buffer.byteLength,
    memoryDenied: denied.value !== 0,
  };
}

/** A segment of the module's data may lie outside its memory. */
function createInstance(module: WasmModule, imports: object): WasmInstance | GuestEnd {
  try {
    return new engine.Instance(module, imports);
  } catch (error) {
    return startFailure("trap", error);
  }
}

/** The end of a module of which nothing ran. */
export function startFailure(status: GuestStatus, error: unknown): GuestEnd {
  const message = error instanceof Error ? error.message : "";
  return { status, exitCode: 1, fuel: 0, memoryBytes: 0, memoryDenied: false, message };
}

type Ended = Pick<GuestEnd, "status" | "exitCode" | "message">;

function endOf(work: () => void): Ended {
  try {
    work();
    return { status: "exit", exitCode: 0, message: "" };
  } catch (error) {
    if (error instanceof GuestExit) return { status: "exit", exitCode: error.code, message: "" };
    if (error instanceof GuestStop) return { status: error.status, exitCode: 1, message: "" };
    if (error instanceof WasiFault)
      return { status: "trap", exitCode: 1, message: "hotcell.call was given a place outside the memory" };
    // A stack that overflows is a RangeError; a `_start` with parameters, a TypeError.
    if (error instanceof engine.RuntimeError || error instanceof RangeError || error instanceof TypeError)
      return { status: "trap", exitCode: 1, message: error.message };
    throw error;
  }
}

/**
 * The one import of hotcell: gives the length of the reply. A reply that is longer than the guest's buffer is kept, and
 * a call without a method gives it again: the request is not made twice.
 */
function createHostImport({ memory }: Preview1, hostCall: HostCall) {
  let reply: Uint8Array = new Uint8Array();
  return (
    method: number,
    methodLength: number,
    request: number,
    requestLength: number,
    into: number,
    size: number,
  ) => {
    const name = memory.text(method, methodLength);
    if (name !== "") reply = hostCall(name, memory.range(request, requestLength).slice());
    if (reply.length <= size >>> 0) memory.range(into, reply.length).set(reply);
    return reply.length;
  };
}

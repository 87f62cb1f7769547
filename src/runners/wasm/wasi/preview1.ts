// WASI preview1 for one guest: arguments, environment, clocks, random bytes, streams and files. No sockets, no signals.
import type { WasmMemory } from "../../../wasm/engine.ts";
import { DescriptorTable, type Preopen } from "./descriptors.ts";
import { errnoOf, fault, WasiFault } from "./errno.ts";
import { createFdFunctions } from "./fd-functions.ts";
import { GuestMemory } from "./memory.ts";
import { createPathFunctions } from "./path-functions.ts";
import { createPoll } from "./poll.ts";

export interface Preview1Options {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Preopen[];
  /** Fills the buffer; 0 at the end. */
  readonly stdin: (into: Uint8Array) => number;
  readonly stdout: (bytes: Uint8Array) => void;
  readonly stderr: (bytes: Uint8Array) => void;
  readonly surroundings: Surroundings;
}

/** What a guest cannot compute from its input. */
export interface Surroundings {
  /** Nanoseconds since 1970. */
  now(): bigint;
  /** Nanoseconds that only grow. */
  monotonic(): bigint;
  random(into: Uint8Array): void;
  sleep(milliseconds: number): void;
}

export interface Preview1 {
  readonly imports: Readonly<Record<string, (...args: never[]) => unknown>>;
  readonly memory: GuestMemory;
  /** Call it before the guest runs. */
  attach(memory: WasmMemory): void;
}

/** Thrown through the guest's code when it calls proc_exit. */
export class GuestExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const CLOCK_RESOLUTION_NS = 1000n;
const [REALTIME, LAST_CLOCK] = [0, 3];

export function createPreview1(options: Preview1Options): Preview1 {
  const { surroundings, stdin } = options;
  const memory = new GuestMemory();
  const descriptors = new DescriptorTable(options.mounts, options.stdout, options.stderr);
  const clock = (id: number): bigint => {
    if (id >>> 0 > LAST_CLOCK!) fault("EINVAL");
    return id === REALTIME ? surroundings.now() : surroundings.monotonic();
  };
  const parts = { memory, descriptors, stdin, now: surroundings.now, clock, sleep: surroundings.sleep };
  const functions = {
    ...listFunctions(memory, "args", options.args),
    ...listFunctions(
      memory,
      "environ",
      Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
    ),
    clock_res_get(id: number, at: number) {
      if (id >>> 0 > LAST_CLOCK!) fault("EINVAL");
      memory.setU64(at, CLOCK_RESOLUTION_NS);
    },
    clock_time_get: (id: number, _precision: bigint, at: number) => memory.setU64(at, clock(id)),
    random_get: (at: number, length: number) => surroundings.random(memory.range(at, length)),
    sched_yield() {},
    ...createFdFunctions(parts),
    ...createPathFunctions(parts),
    ...createPoll(parts),
  };
  const imports: Record<string, (...args: never[]) => unknown> = Object.create(null);
  for (const [name, work] of Object.entries(functions)) imports[name] = answering(work);
  imports.proc_exit = (code: number) => {
    throw new GuestExit(code >>> 0);
  };
  return { imports, memory, attach: (given) => memory.attach(given) };
}

/** A fault becomes the function's error number. Everything else ends the guest. */
function answering(work: (...args: never[]) => unknown): (...args: never[]) => number {
  return (...args) => {
    try {
      const result = work(...args);
      return typeof result === "number" ? result : 0;
    } catch (error) {
      if (error instanceof WasiFault) return errnoOf(error.errno);
      throw error;
    }
  };
}

function listFunctions(memory: GuestMemory, name: "args" | "environ", texts: readonly string[]) {
  const list = texts.map((text) => Buffer.from(`${text}\0`));
  return {
    [`${name}_sizes_get`](count: number, size: number) {
      memory.setU32(count, list.length);
      memory.setU32(
        size,
        list.reduce((sum, { length }) => sum + length, 0),
      );
    },
    [`${name}_get`](pointers: number, at: number) {
      let next = at;
      list.forEach((bytes, index) => {
        memory.setU32(pointers + index * 4, next);
        memory.range(next, bytes.length).set(bytes);
        next += bytes.length;
      });
    },
  };
}

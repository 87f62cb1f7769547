// The program of a guest process: waits for a run, runs it, and reports how it ended. Each run has a new instance.
import type { JsonObject } from "../../../core/json.ts";
import { LIMITS } from "../../../core/limits.ts";
import { engine, type WasmModule } from "../../../wasm/engine.ts";
import { WasiFault } from "../wasi/errno.ts";
import { createPreview1 } from "../wasi/preview1.ts";
import { machineSurroundings, seededSurroundings } from "../wasi/surroundings.ts";
import { openHostChannel } from "./host-channel.ts";
import type { RunMessage } from "./messages.ts";
import { openRemoteFiles, type RemoteFiles } from "./remote-files.ts";
import { GuestStop, runModule, startFailure } from "./run-guest.ts";
import { runScript } from "./run-script.ts";

const PIECE_BYTES = 32 * 1024;
const MAX_PIECE_BYTES = 1024 * 1024;
const MAX_METHOD_CHARS = 128;

const TOO_LARGE = Buffer.from(
  JSON.stringify({
    error: {
      code: "INVALID_ARGUMENTS",
      message: `A request of a host call has at most ${LIMITS.maxHostCallBytes} bytes.`,
    },
  }),
);

const channel = openHostChannel();
/** A module that V8 does not compile is kept as V8's error. */
const modules = new Map<string, WasmModule | Error>();

channel.send({ op: "ready" });
for (let frame = channel.receive(); frame !== null; frame = channel.receive()) {
  if (frame.head.op === "module") keepModule(`${frame.head.key}`, frame.body);
  else channel.send(run(frame.head as unknown as RunMessage, frame.body));
}

/** The one that was used longest ago makes room, in the order that hotcell knows too. */
function keepModule(key: string, code: Uint8Array): void {
  const oldest = modules.keys().next().value;
  if (modules.size >= LIMITS.guestModules && oldest !== undefined) modules.delete(oldest);
  modules.set(key, compile(code));
}

function compile(code: Uint8Array): WasmModule | Error {
  try {
    return new engine.Module(code);
  } catch (error) {
    return error as Error;
  }
}

function run(message: RunMessage, input: Uint8Array): JsonObject {
  const files = message.mounts.map((_, index) => openRemoteFiles(channel, index));
  const stdout = createOutput("stdout", message.maxOutputBytes, () => {
    throw new GuestStop("output");
  });
  const stderr = createOutput("stderr", message.maxDiagnosticBytes, () => {});
  let read = 0;
  const preview1 = createPreview1({
    args: message.args,
    env: message.env,
    mounts: message.mounts.map((at, index) => ({ at, files: files[index]! })),
    stdin(into) {
      const part = input.subarray(read, read + into.length);
      into.set(part);
      read += part.length;
      return part.length;
    },
    stdout: stdout.write,
    stderr: stderr.write,
    surroundings: message.seed === null ? machineSurroundings() : seededSurroundings(message.seed),
  });
  const hostCall = (method: string, request: Uint8Array): Uint8Array => {
    if (!flushAll(files)) throw new GuestStop("write");
    stderr.flush();
    if (request.length > LIMITS.maxHostCallBytes) return TOO_LARGE;
    return channel.call({ op: "host", method: method.slice(0, MAX_METHOD_CHARS) }, request).body;
  };
  const module = modules.get(message.module)!;
  // The module that is used again is the newest.
  modules.delete(message.module);
  modules.set(message.module, module);
  if (module instanceof Error) return { op: "end", ...startFailure("invalid", module) };
  const common = { module, names: message.names, fuel: BigInt(message.fuel), preview1, hostCall };
  const end =
    message.script === null
      ? runModule(common)
      : runScript(common, {
          script: message.script,
          input,
          env: message.env,
          stdout: stdout.write,
          stderr: stderr.write,
        });
  const isWritten = flushAll(files);
  stdout.flush();
  stderr.flush();
  return { op: "end", ...end, ...(end.status === "exit" && !isWritten && { status: "write" }) };
}

/** Sends what was written; false if a write fails, which hotcell knows by itself. */
function flushAll(files: readonly RemoteFiles[]): boolean {
  let isWritten = true;
  for (const each of files)
    try {
      each.flush();
    } catch (error) {
      if (!(error instanceof WasiFault)) throw error;
      isWritten = false;
    }
  return isWritten;
}

/** Collects small writes; says when there are more bytes than allowed, and drops them. */
function createOutput(op: "stdout" | "stderr", most: number, onFull: () => void) {
  let pieces: Buffer[] = [];
  let waiting = 0;
  let total = 0;
  const flush = (): void => {
    const bytes = Buffer.concat(pieces);
    for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES)
      channel.send({ op }, bytes.subarray(at, at + MAX_PIECE_BYTES));
    pieces = [];
    waiting = 0;
  };
  const write = (bytes: Uint8Array): void => {
    const kept = Buffer.from(bytes.subarray(0, most - total));
    total += kept.length;
    waiting += kept.length;
    pieces.push(kept);
    if (waiting >= PIECE_BYTES) flush();
    if (kept.length < bytes.length) onFull();
  };
  return { write, flush };
}

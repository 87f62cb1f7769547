// One guest process, as hotcell uses it: one run at a time, whose messages are answered one after another.
import type { JsonObject } from "../../../core/json.ts";
import { LIMITS } from "../../../core/limits.ts";
import { type GuestSandbox, noSandbox } from "../../../shield/guest/guest-sandbox.ts";
import type { MeteredModule } from "../../../wasm/meter.ts";
import type { AnswerMessage } from "../answer-message.ts";
import { encodeFrame, type Frame, FrameDecoder } from "../guest/frames.ts";
import type { RunMessage } from "../guest/messages.ts";
import type { GuestEnd, GuestStatus } from "../guest/run-guest.ts";
import { guestCrashError } from "./guest-crash-error.ts";

export interface GuestJob {
  readonly moduleKey: string;
  readonly module: MeteredModule;
  readonly message: Omit<RunMessage, "op" | "module" | "names">;
  readonly input: Uint8Array;
  readonly answer: AnswerMessage;
  /** Throws if there is more than the guest may send. */
  readonly onOutput: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

export interface GuestProcess {
  readonly isUsable: boolean;
  /** hotcell's program has begun in the sandbox. */
  readonly hasStarted: boolean;
  /** Rejects with GUEST_CRASHED if the process ends, also by `kill`. */
  run(job: GuestJob): Promise<GuestEnd>;
  keepAlive(isKept: boolean): void;
  kill(): Promise<void>;
}

interface Running {
  readonly job: GuestJob;
  readonly resolve: (end: GuestEnd) => void;
  readonly reject: (error: unknown) => void;
}

export function createGuestProcess(sandbox: GuestSandbox): GuestProcess {
  const { channel } = sandbox;
  const decoder = new FrameDecoder();
  /** The modules that the process has, the one used longest ago first. */
  const modules = new Set<string>();
  let running: Running | null = null;
  let hasEnded = false;
  let hasStarted = false;
  /** What the guest waits for; null if it computes. */
  let pending: Promise<void> | null = null;

  const finish = (settle: (running: Running) => void): void => {
    const current = running;
    running = null;
    if (current !== null) settle(current);
  };
  const fail = (error: unknown): void => {
    hasEnded = true;
    finish(({ reject }) => reject(error));
    void sandbox.kill();
  };
  void sandbox.ended.then((said) => fail(hasStarted ? guestCrashError(said) : noSandbox(said)));

  const send = ({ head, body }: Frame): void => {
    if (!hasEnded) for (const part of encodeFrame(head, body)) channel.write(part);
  };
  const answer = (message: Frame): void | Promise<void> => {
    const { op } = message.head;
    if (op === "ready" && !hasStarted) {
      hasStarted = true;
      return;
    }
    if (running === null) throw guestCrashError("it sent a message outside a run");
    const { job } = running;
    if (op === "stdout" || op === "stderr") {
      // What it returns, as a stream's write does, is nothing to wait for.
      job.onOutput(op, message.body);
      return;
    }
    if (op === "end") {
      const end = readEnd(message.head);
      return finish(({ resolve }) => resolve(end));
    }
    if (op !== "files" && op !== "host") throw guestCrashError("it sent an unknown message");
    const reply = job.answer(message);
    return reply instanceof Promise ? reply.then(send) : send(reply);
  };
  /** A guest that takes no replies gets no further ones: they would fill hotcell's memory. */
  const drained = (): Promise<void> | null =>
    channel.writableNeedDrain
      ? new Promise((resolve) => {
          const done = () => {
            channel.off("drain", done).off("close", done);
            resolve();
          };
          channel.on("drain", done).on("close", done);
        })
      : null;
  const waitFor = (work: Promise<void>): void => {
    channel.pause();
    pending = work.then(drained).then(() => {
      pending = null;
      channel.resume();
      answerAll();
    });
    pending.catch(fail);
  };
  const answerAll = (): void => {
    try {
      while (pending === null && !hasEnded) {
        const message = decoder.next();
        if (message === null) return;
        const work = answer(message) ?? drained();
        if (work !== null) waitFor(work);
      }
    } catch (error) {
      fail(error);
    }
  };
  channel.on("data", (chunk: Buffer) => {
    decoder.push(chunk);
    answerAll();
  });

  const sendModule = (key: string, { bytes }: MeteredModule): void => {
    const isThere = modules.delete(key);
    if (!isThere && modules.size >= LIMITS.guestModules) modules.delete(modules.values().next().value!);
    modules.add(key);
    if (!isThere) send({ head: { op: "module", key }, body: bytes });
  };

  return {
    get isUsable() {
      return !hasEnded && running === null;
    },
    get hasStarted() {
      return hasStarted;
    },
    run(job) {
      return new Promise((resolve, reject) => {
        if (hasEnded) return reject(guestCrashError(""));
        running = { job, resolve, reject };
        sendModule(job.moduleKey, job.module);
        const head = { op: "run", module: job.moduleKey, names: { ...job.module.names }, ...job.message };
        send({ head: head as JsonObject, body: job.input });
      });
    },
    keepAlive: sandbox.keepAlive,
    async kill() {
      hasEnded = true;
      await sandbox.kill();
      await pending?.catch(() => {});
    },
  };
}

const STATUSES: ReadonlySet<unknown> = new Set<GuestStatus>([
  "exit",
  "trap",
  "fuel",
  "output",
  "write",
  "invalid",
]);

/** Nothing that a guest sends is taken as it is. */
function readEnd({ status, exitCode, fuel, memoryBytes, memoryDenied, message }: JsonObject): GuestEnd {
  if (!STATUSES.has(status)) throw guestCrashError("it sent an unknown ending");
  const number = (value: unknown) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  return {
    status: status as GuestStatus,
    exitCode: number(exitCode),
    fuel: number(fuel),
    memoryBytes: number(memoryBytes),
    memoryDenied: memoryDenied === true,
    message: `${message}`.slice(0, 500),
  };
}

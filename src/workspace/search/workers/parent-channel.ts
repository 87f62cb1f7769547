// The worker's end of the channel to the parent process. Reads block, because a worker waits for nothing else. The
// worker exits when the parent is gone.
import fs from "node:fs";
import { Socket } from "node:net";
import { osErrorCode } from "../../../core/errors.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { isStopFlagSet, type Report, type Task, type WorkerReport } from "./messages.ts";

/** Inherited descriptors: one for messages, and one for stop signals. */
const MESSAGES = 3;
const STOPS = 4;
const READ_BYTES = 64 * 1024;
/** The interval of checks for a stop signal. Without a signal, a check throws an exception, which is slow. */
const CHECK_MS = 5;

export interface ParentChannel {
  post(report: Report): void;
  /** Waits for the next task. */
  next(): Task;
  /** Whether the parent wants no more results of the current search. */
  stopped(): boolean;
  /** The weight of the current search's results that the parent consumed. */
  taken(): number;
  /** Waits for a message. */
  wait(): void;
}

export function openParentChannel(): ParentChannel {
  const tasks: Task[] = [];
  let present = { search: 0, taken: 0, isStopped: false };
  let checkedAt = 0;

  const take = (message: WorkerReport): void => {
    if (message.kind === "taken") present.taken += message.weight;
    else if (message.kind === "stop") present.isStopped = true;
    else tasks.push(message);
    if (message.kind === "search") present = { search: message.search, taken: 0, isStopped: false };
  };
  const read = createFrameReader((message) => take(message as WorkerReport));
  const bytes = Buffer.alloc(READ_BYTES);
  const wait = (): void => read(Buffer.from(receive(MESSAGES, bytes)));
  const signs = openSigns();

  return {
    post: (report) => writeAll(frameOf(report)),
    next() {
      while (tasks.length === 0) wait();
      return tasks.shift()!;
    },
    stopped() {
      const now = performance.now();
      if (present.isStopped || now < checkedAt + CHECK_MS) return present.isStopped;
      checkedAt = now;
      present.isStopped = isStopFlagSet(present.search, signs());
      return present.isStopped;
    },
    taken: () => present.taken,
    wait,
  };
}

/** Returns a function that reads the received stop signals without blocking. */
function openSigns(): () => Uint8Array {
  // The Socket makes the descriptor non-blocking; it has no other use.
  new Socket({ fd: STOPS, readable: false }).unref();
  const bytes = Buffer.alloc(READ_BYTES);
  return () => {
    try {
      return receive(STOPS, bytes);
    } catch (error) {
      if (osErrorCode(error) === "EAGAIN") return bytes.subarray(0, 0);
      throw error;
    }
  };
}

function receive(from: number, bytes: Buffer): Buffer {
  const got = exitIfAlone(() => fs.readSync(from, bytes));
  if (got === 0) process.exit();
  return bytes.subarray(0, got);
}

function writeAll(buffers: readonly Buffer[]): void {
  let left = buffers;
  while (left.length > 0)
    left = withoutWritten(
      left,
      exitIfAlone(() => fs.writevSync(MESSAGES, left)),
    );
}

function exitIfAlone<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (["EPIPE", "ECONNRESET"].includes(osErrorCode(error) ?? "")) process.exit();
    throw error;
  }
}

function withoutWritten(buffers: readonly Buffer[], written: number): readonly Buffer[] {
  let passed = written;
  return buffers.flatMap((buffer) => {
    const rest = buffer.subarray(Math.min(passed, buffer.length));
    passed -= buffer.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}

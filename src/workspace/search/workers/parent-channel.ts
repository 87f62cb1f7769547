// The way to the process that asked, as one that searches for it sees it. It waits for nobody else, and ends when that
// process is gone.
import fs from "node:fs";
import { Socket } from "node:net";
import { osErrorCode } from "../../../core/errors.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { isSignedToStop, type Report, type Task, type WorkerReport } from "./messages.ts";

/** Descriptors that it was started with: one for messages, and one for signs that a search is to stop. */
const MESSAGES = 3;
const STOPS = 4;
const READ_BYTES = 64 * 1024;
/** How often it is looked for a sign: where there is none, that is an exception. */
const LOOK_MS = 5;

export interface AskerLink {
  post(report: Report): void;
  /** Waits for the next. */
  next(): Task;
  /** Whether nothing more is wanted of the present search. */
  stopped(): boolean;
  /** The weight of its results that were used up. */
  taken(): number;
  /** Waits until something was told. */
  wait(): void;
}

export function openAskerLink(): AskerLink {
  const tasks: Task[] = [];
  let present = { search: 0, taken: 0, isStopped: false };
  let lookedAt = 0;

  const take = (told: WorkerReport): void => {
    if (told.kind === "taken") present.taken += told.weight;
    else if (told.kind === "stop") present.isStopped = true;
    else tasks.push(told);
    if (told.kind === "search") present = { search: told.search, taken: 0, isStopped: false };
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
      if (present.isStopped || now < lookedAt + LOOK_MS) return present.isStopped;
      lookedAt = now;
      present.isStopped = isSignedToStop(present.search, signs());
      return present.isStopped;
    },
    taken: () => present.taken,
    wait,
  };
}

/** Gives the signs that have come, without waiting. */
function openSigns(): () => Uint8Array {
  // For what it does to the descriptor: reading from it does not wait any more.
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
  const got = unlessAlone(() => fs.readSync(from, bytes));
  if (got === 0) process.exit();
  return bytes.subarray(0, got);
}

function writeAll(buffers: readonly Buffer[]): void {
  let left = buffers;
  while (left.length > 0)
    left = behind(
      left,
      unlessAlone(() => fs.writevSync(MESSAGES, left)),
    );
}

function unlessAlone<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (["EPIPE", "ECONNRESET"].includes(osErrorCode(error) ?? "")) process.exit();
    throw error;
  }
}

function behind(buffers: readonly Buffer[], written: number): readonly Buffer[] {
  let passed = written;
  return buffers.flatMap((buffer) => {
    const rest = buffer.subarray(Math.min(passed, buffer.length));
    passed -= buffer.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}

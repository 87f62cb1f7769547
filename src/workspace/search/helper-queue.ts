// How the walking worker hands chunks to the other one, which may come late, or never.
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { type Chunk, HELP, SHARED } from "./messages.ts";
import type { WalkedChunk } from "./walk-chunk.ts";

/** Enough that the helper finds the next one when it is through. */
const MAX_QUEUED = 2;
const WAIT_MS = 1000;

export interface HelperQueue {
  /** False when the helper has enough to do, or is not there yet. */
  give(chunk: WalkedChunk, number: number): boolean;
  /** Returns when the helper touches nothing more. */
  finish(): void;
}

export function createHelperQueue(port: MessagePort, shared: Int32Array): HelperQueue {
  /** What the helper may still use, oldest first. */
  const given: WalkedChunk[] = [];
  let closed = 0;
  const closeHelped = () => {
    for (const helped = Atomics.load(shared, SHARED.helped); closed < helped; closed++)
      given.shift()!.close();
  };
  const send = (chunk: Chunk | null) => {
    port.postMessage(chunk);
    Atomics.add(shared, SHARED.queued, 1);
    Atomics.notify(shared, SHARED.queued);
  };
  return {
    give(chunk, number) {
      closeHelped();
      if (given.length >= MAX_QUEUED || Atomics.load(shared, SHARED.help) !== HELP.joined) return false;
      const { runs, entered, unreadable } = chunk;
      send({ number, runs, entered, unreadable });
      given.push(chunk);
      return true;
    },
    finish() {
      if (!refuseHelp(shared)) {
        send(null);
        while (Atomics.load(shared, SHARED.help) === HELP.joined)
          Atomics.wait(shared, SHARED.help, HELP.joined, WAIT_MS);
      }
      for (const chunk of given) chunk.close();
      port.close();
    },
  };
}

/** From now on nobody joins. Gives whether nobody has. */
export function refuseHelp(shared: Int32Array): boolean {
  return Atomics.compareExchange(shared, SHARED.help, HELP.none, HELP.refused) === HELP.none;
}

/** The helper's side: works on chunks until there are no more. */
export function help(port: MessagePort, shared: Int32Array, work: (chunk: Chunk) => void): void {
  if (Atomics.compareExchange(shared, SHARED.help, HELP.none, HELP.joined) !== HELP.none) return;
  try {
    for (;;) {
      const seen = Atomics.load(shared, SHARED.queued);
      const received = receiveMessageOnPort(port) as { message: Chunk | null } | undefined;
      if (received === undefined) Atomics.wait(shared, SHARED.queued, seen, WAIT_MS);
      else if (received.message === null) return;
      else {
        work(received.message);
        Atomics.add(shared, SHARED.helped, 1);
      }
    }
  } finally {
    Atomics.store(shared, SHARED.help, HELP.left);
    Atomics.notify(shared, SHARED.help);
  }
}

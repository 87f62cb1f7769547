// The guest's end of the channel. Every call waits for its answer: a guest's code runs on one thread, without an event loop.
import fs from "node:fs";
import type { Json, JsonObject } from "../../../core/json.ts";
import { WasiFault } from "../wasi/errno.ts";
import { encodeFrame, type Frame, readFrame } from "./frames.ts";

const CHANNEL = 3;

export interface HostChannel {
  /** Null when hotcell has ended. */
  receive(): Frame | null;
  send(head: JsonObject, body?: Uint8Array): void;
  /** Throws a WasiFault if hotcell answers with an error number. */
  call(head: JsonObject, body?: Uint8Array): { readonly value: Json; readonly body: Uint8Array };
}

export function openHostChannel(): HostChannel {
  const source = { fill };
  const send = (head: JsonObject, body?: Uint8Array): void => {
    for (const part of encodeFrame(head, body)) writeAll(part);
  };
  return {
    receive: () => readFrame(source),
    send,
    call(head, body) {
      send(head, body);
      const answer = readFrame(source) ?? process.exit(0);
      const { errno, value = null } = answer.head;
      if (typeof errno === "string") throw new WasiFault(errno);
      return { value, body: answer.body };
    },
  };
}

function fill(buffer: Buffer): boolean {
  for (let at = 0; at < buffer.length; ) {
    const read = fs.readSync(CHANNEL, buffer, at, buffer.length - at, null);
    if (read === 0) return false;
    at += read;
  }
  return true;
}

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(CHANNEL, bytes, at, bytes.length - at);
}

// Messages between hotcell and a guest: two lengths, a head in JSON, and bytes. Never V8's own serialisation: its reader
// is not made for what a guest sends.
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { LIMITS } from "../../../core/limits.ts";
import { guestCrashError } from "../pool/guest-crash-error.ts";

export interface Frame {
  readonly head: JsonObject;
  readonly body: Uint8Array;
}

const LENGTHS_BYTES = 8;
export const NO_BYTES = new Uint8Array();

export function encodeFrame(head: JsonObject, body: Uint8Array = NO_BYTES): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.allocUnsafe(LENGTHS_BYTES);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  return body.length === 0 ? [Buffer.concat([lengths, text])] : [Buffer.concat([lengths, text]), body];
}

export interface FrameSource {
  /** Fills the buffer; false at the end. */
  fill(buffer: Buffer): boolean;
}

/** Waits for the next frame; null at the end. */
export function readFrame({ fill }: FrameSource): Frame | null {
  const lengths = Buffer.allocUnsafe(LENGTHS_BYTES);
  if (!fill(lengths)) return null;
  const content = Buffer.allocUnsafe(lengths.readUInt32LE(0) + lengths.readUInt32LE(4));
  return fill(content) ? frameOf(content, lengths.readUInt32LE(0)) : null;
}

/** Collects the bytes of a guest to frames. */
export class FrameDecoder {
  private chunks: Uint8Array[] = [];
  private size = 0;

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** Null until all of the frame has come. Throws for a frame that no guest of ours sends. */
  next(): Frame | null {
    if (this.size < LENGTHS_BYTES) return null;
    const lengths = this.peek(LENGTHS_BYTES);
    const [head, body] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
    if (head > LIMITS.maxGuestFrameHeadBytes || body > LIMITS.maxHostCallBytes)
      throw guestCrashError("it sent a broken message");
    const whole = LENGTHS_BYTES + head + body;
    if (this.size < whole) return null;
    const bytes = this.peek(whole);
    this.drop(whole);
    return frameOf(bytes.subarray(LENGTHS_BYTES), head);
  }

  private peek(length: number): Buffer {
    const first = this.chunks[0]!;
    if (first.length < length && this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    const start = this.chunks[0]!;
    return Buffer.from(start.buffer, start.byteOffset, length);
  }

  private drop(length: number): void {
    const rest = this.chunks[0]!.subarray(length);
    this.size -= length;
    if (rest.length > 0) this.chunks[0] = rest;
    else this.chunks.shift();
  }
}

function frameOf(content: Buffer, headLength: number): Frame {
  try {
    const head = JSON.parse(content.toString("utf8", 0, headLength));
    if (isJsonObject(head)) return { head, body: content.subarray(headLength) };
  } catch {}
  throw guestCrashError("it sent a broken message");
}

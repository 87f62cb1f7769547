// Reads and writes the binary format of WebAssembly: bytes, LEB128 numbers, names.
import { HotcellError } from "../core/errors.ts";

/** A module that hotcell does not run. `section` names the part of the module. */
export function refuseModule(section: string, found: string, allowed: string): never {
  const message = `Could not use the WebAssembly module: its ${section} has ${found}; allowed is ${allowed}.`;
  throw new HotcellError("INVALID_MODULE", message, { section, found, allowed });
}

export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
  private readonly section: string;

  constructor(bytes: Uint8Array, section: string, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.section = section;
    this.at = at;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.at >= this.end) this.refuse("an early end", "a complete section");
    return this.bytes[this.at++]!;
  }

  peek(): number {
    if (this.at >= this.end) this.refuse("an early end", "a complete section");
    return this.bytes[this.at]!;
  }

  u32(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return result >>> 0;
    }
    return this.refuse("a number of more than five bytes", "a number of 32 bits");
  }

  /** Skips a LEB128 number of any width. */
  skipNumber(): void {
    for (let length = 0; length < 10; length++) if (this.byte() < 0x80) return;
    this.refuse("a number of more than ten bytes", "a number of 64 bits");
  }

  skip(count: number): void {
    if (this.at + count > this.end) this.refuse("an early end", "a complete section");
    this.at += count;
  }

  name(): string {
    const length = this.u32();
    const start = this.at;
    this.skip(length);
    try {
      return UTF8.decode(this.bytes.subarray(start, this.at));
    } catch {
      return this.refuse("a name that is not UTF-8", "UTF-8");
    }
  }

  refuse(found: string, allowed: string): never {
    refuseModule(this.section, found, allowed);
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

export class ByteWriter {
  private buffer: Uint8Array;
  private length = 0;

  constructor(capacity: number) {
    this.buffer = new Uint8Array(Math.max(capacity, 64));
  }

  put(bytes: ArrayLike<number>): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  copy(source: Uint8Array, from: number, to: number): void {
    if (to > from) this.put(source.subarray(from, to));
  }

  /** Valid until the next write. */
  done(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + more));
    larger.set(this.done());
    this.buffer = larger;
  }
}

/** An unsigned LEB128 number. */
export function encodeU32(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = rest & 0x7f;
    rest >>>= 7;
    if (rest === 0) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** A signed LEB128 number of at most 31 bits. */
export function encodeSigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

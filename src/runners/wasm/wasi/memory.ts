// The guest's memory as the WASI functions read and write it. Every range is checked: a guest gives any number.
import type { WasmMemory } from "../../../wasm/engine.ts";
import { fault } from "./errno.ts";

const MAX_BUFFERS = 1024;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

export class GuestMemory {
  private memory: WasmMemory | null = null;
  private buffer: ArrayBuffer | null = null;
  private bytes = new Uint8Array();
  private numbers = new DataView(new ArrayBuffer(0));

  attach(memory: WasmMemory): void {
    this.memory = memory;
  }

  /** Growing the memory replaces its buffer. */
  private refresh(): void {
    if (this.memory === null) fault("EFAULT");
    const { buffer } = this.memory;
    if (buffer === this.buffer) return;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.numbers = new DataView(buffer);
  }

  /** A part of the memory itself: valid until the guest runs on. */
  range(at: number, length: number): Uint8Array {
    this.refresh();
    const [from, size] = [at >>> 0, length >>> 0];
    if (from + size > this.bytes.length) fault("EFAULT");
    return this.bytes.subarray(from, from + size);
  }

  /** For several values in a row, whose whole range is checked. */
  view(at: number, length: number): DataView {
    this.range(at, length);
    return new DataView(this.numbers.buffer, at >>> 0, length);
  }

  u32(at: number): number {
    return this.view(at, 4).getUint32(0, true);
  }

  setU32(at: number, value: number): void {
    this.view(at, 4).setUint32(0, value, true);
  }

  setU64(at: number, value: bigint): void {
    this.view(at, 8).setBigUint64(0, BigInt.asUintN(64, value), true);
  }

  text(at: number, length: number): string {
    const bytes = this.range(at, length);
    try {
      return UTF8.decode(bytes);
    } catch {
      return fault("EILSEQ");
    }
  }

  /** The buffers of a read or a write. */
  buffers(at: number, count: number): Uint8Array[] {
    const size = count >>> 0;
    if (size > MAX_BUFFERS) fault("EINVAL");
    const list = this.view(at, size * 8);
    return Array.from({ length: size }, (_, index) =>
      this.range(list.getUint32(index * 8, true), list.getUint32(index * 8 + 4, true)),
    );
  }
}

// Interprets a seccomp filter as the kernel does: the instructions that hotcell's filter uses.

export interface SyscallData {
  readonly number: number;
  readonly arch: number;
  readonly args: readonly bigint[];
}

/** Returns the filter's result. Throws for a filter that the kernel would not load. */
export function runFilter(program: Buffer, data: SyscallData): number {
  const memory = layOut(data);
  const state = { a: 0, at: 0 };
  while (true) {
    if (state.at * 8 >= program.length) throw new Error(`jumped out of the program, to ${state.at}`);
    const at = state.at * 8;
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    if (code === 0x06) return k;
    state.at += 1;
    if (code === 0x20) state.a = memory.readUInt32LE(k);
    else if (code === 0x54) state.a = (state.a & k) >>> 0;
    else state.at += program.readUInt8(at + (compare(code, state.a, k) ? 2 : 3));
  }
}

function compare(code: number, a: number, k: number): boolean {
  if (code === 0x15) return a === k;
  if (code === 0x25) return a > k;
  if (code === 0x35) return a >= k;
  if (code === 0x45) return (a & k) !== 0;
  throw new Error(`unknown instruction ${code}`);
}

function layOut({ number, arch, args }: SyscallData): Buffer {
  const memory = Buffer.alloc(64);
  memory.writeUInt32LE(number >>> 0, 0);
  memory.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries()) memory.writeBigUInt64LE(value, 16 + 8 * index);
  return memory;
}

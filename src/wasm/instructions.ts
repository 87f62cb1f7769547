// The instructions that hotcell runs: the ones of every Node from 20 on, so that a module runs everywhere or nowhere.
// No threads, garbage collection, typed references, tail calls, exception handling or relaxed SIMD.
import type { ByteReader } from "./bytes.ts";
import { skipValueType } from "./sections.ts";

/** What the meter has to do at an instruction. */
export type Step =
  /** Control goes on with the next instruction. */
  | "plain"
  /** Ends a straight line of code. */
  | "branch"
  | "loop"
  | "call"
  /** Leaves the function. */
  | "exit"
  | "grow"
  /** Its cost depends on the length, which is on top of the stack: bytes of memory, or entries of a table. */
  | "bulk-memory"
  | "bulk-table";

export const OP = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
} as const;

/** Instructions that cost nothing, as in Wasmtime. */
const FREE = new Set([0x00, 0x01, 0x02, 0x03, 0x05, 0x0b, 0x0f, 0x1a]);

export const isFree = (op: number): boolean => FREE.has(op);

/** Tells the instruction that the reader is behind, and moves the reader behind its operands. */
export function skipOperands(reader: ByteReader, op: number, globals: number): Step {
  switch (op) {
    case 0x02:
      skipBlockType(reader);
      return "plain";
    case 0x03:
      skipBlockType(reader);
      return "loop";
    case 0x04:
      skipBlockType(reader);
      return "branch";
    case 0x05:
    case 0x0b:
      return "branch";
    case 0x00:
    case 0x0f:
      return "exit";
    case 0x0c:
    case 0x0d:
      reader.skipNumber();
      return "branch";
    case 0x0e:
      skipTargets(reader);
      return "branch";
    case 0x10:
      reader.skipNumber();
      return "call";
    case 0x11:
      reader.skipNumber();
      reader.skipNumber();
      return "call";
    case 0x1c:
      for (let left = reader.u32(); left > 0; left--) skipValueType(reader);
      return "plain";
    case 0x23:
    case 0x24:
      // An index beyond the module's own globals would reach the meter's.
      if (reader.u32() >= globals)
        reader.refuse("the number of a global that does not exist", `numbers below ${globals}`);
      return "plain";
    case 0x40:
      reader.skipNumber();
      return "grow";
    case 0x43:
      reader.skip(4);
      return "plain";
    case 0x44:
      reader.skip(8);
      return "plain";
    case 0xfc:
      return skipPrefixed(reader);
    case 0xfd:
      return skipVector(reader);
  }
  if (HAS_NUMBER.has(op)) reader.skipNumber();
  else if (op >= 0x28 && op <= 0x3e) skipMemoryOperand(reader);
  else if (!HAS_NOTHING(op)) reader.refuse(`the instruction 0x${op.toString(16)}`, NODE_20);
  return "plain";
}

/** As many as V8 compiles. */
const MAX_TARGETS = 65_520;

function skipTargets(reader: ByteReader): void {
  const count = reader.u32();
  if (count > MAX_TARGETS) reader.refuse(`a br_table with ${count} targets`, `at most ${MAX_TARGETS}`);
  for (let left = count + 1; left > 0; left--) reader.skipNumber();
}

const NODE_20 =
  "what every Node from 20 on has: no threads, garbage collection, tail calls, exceptions or typed references";

/** local.get/set/tee, table.get/set, memory.size, i32.const, i64.const, ref.null, ref.func. */
const HAS_NUMBER = new Set([0x20, 0x21, 0x22, 0x25, 0x26, 0x3f, 0x41, 0x42, 0xd0, 0xd2]);

/** nop, drop, select, numeric instructions, ref.is_null. */
const HAS_NOTHING = (op: number): boolean =>
  op === 0x01 || op === 0x1a || op === 0x1b || (op >= 0x45 && op <= 0xc4) || op === 0xd1;

function skipBlockType(reader: ByteReader): void {
  const first = reader.peek();
  if (first === 0x40) reader.skip(1);
  else if (first >= 0x41 && first < 0x80) skipValueType(reader);
  else reader.skipNumber();
}

function skipMemoryOperand(reader: ByteReader): void {
  if ((reader.u32() & 64) !== 0) reader.refuse("an instruction for another memory", "one memory");
  reader.skipNumber();
}

function skipPrefixed(reader: ByteReader): Step {
  const op = reader.u32();
  if (op < 8) return "plain";
  if (op > 17) reader.refuse(`the instruction 0xfc ${op}`, NODE_20);
  const operands = op === 8 || op === 10 || op === 12 || op === 14 ? 2 : 1;
  for (let left = operands; left > 0; left--) reader.skipNumber();
  if (op === 8 || op === 10 || op === 11) return "bulk-memory";
  return op === 12 || op === 14 || op === 15 || op === 17 ? "bulk-table" : "plain";
}

function skipVector(reader: ByteReader): Step {
  const op = reader.u32();
  if (op > 255) reader.refuse(`the instruction 0xfd ${op} (relaxed SIMD)`, NODE_20);
  if (op <= 11 || op === 92 || op === 93) skipMemoryOperand(reader);
  else if (op === 12 || op === 13) reader.skip(16);
  else if (op >= 21 && op <= 34) reader.skip(1);
  else if (op >= 84 && op <= 91) {
    skipMemoryOperand(reader);
    reader.skip(1);
  }
  return "plain";
}

/** A constant expression, as of a global's first value. */
export function skipConstant(reader: ByteReader, globals: number): void {
  for (;;) {
    const op = reader.byte();
    if (op === OP.end) return;
    skipOperands(reader, op, globals);
  }
}

// Rewrites the code of one function: charges fuel for each straight line of code before it runs, and checks at the
// function's beginning and in each loop that fuel is left.
import { type ByteReader, ByteWriter, encodeSigned, encodeU32 } from "./bytes.ts";
import { isFree, OP, type Step, skipOperands } from "./instructions.ts";
import { skipValueType } from "./sections.ts";

export interface FunctionContext {
  readonly params: number;
  /** The module's own globals. The meter's follow: the fuel, then the mark of denied memory. */
  readonly globals: number;
}

const I32_CONST = 0x41;
const I64_CONST = 0x42;
const I64_LT_S = 0x53;
const I64_SUB = 0x7d;
const I64_SHR_U = 0x88;
const I64_EXTEND_I32_U = 0xad;
const I32_EQ = 0x46;
const VOID = 0x40;
const I64 = 0x7e;
const I32 = 0x7f;

/** One unit of fuel for so many bytes of a bulk operation, as a shift: 8 bytes. */
const BYTES_SHIFT = 3;

/** The body of the function: its locals and its code. */
export function meterFunction(reader: ByteReader, context: FunctionContext): Uint8Array {
  const { bytes } = reader;
  const groups = reader.u32();
  const localsFrom = reader.at;
  let locals = context.params;
  for (let left = groups; left > 0; left--) {
    locals += reader.u32();
    skipValueType(reader);
  }
  const localsTo = reader.at;
  const code = new CodeMeter(reader, locals, context.globals);
  code.rewrite();
  const body = code.done();
  const writer = new ByteWriter(body.length + localsTo - localsFrom + 16);
  writer.put(encodeU32(groups + 2));
  writer.copy(bytes, localsFrom, localsTo);
  writer.put([1, I64, 1, I32]);
  writer.put(body);
  return writer.done();
}

class CodeMeter {
  private readonly reader: ByteReader;
  private readonly globals: number;
  private readonly out: ByteWriter;
  private readonly getFuel: readonly number[];
  private readonly setFuel: readonly number[];
  private readonly teeFuel: readonly number[];
  private readonly store: readonly number[];
  private readonly load: readonly number[];
  private readonly trapIfEmpty: readonly number[];
  private readonly getLength: readonly number[];
  private readonly setLength: readonly number[];
  /** The code from here on is not yet written. */
  private from: number;
  /** The cost of that code. */
  private cost = 1;
  /** Whether fuel is checked before that code. */
  private checks = true;
  /** Open blocks. */
  private depth = 0;

  constructor(reader: ByteReader, locals: number, globals: number) {
    this.reader = reader;
    this.globals = globals;
    this.out = new ByteWriter((reader.end - reader.at) * 2 + 64);
    const fuel = encodeU32(locals);
    const length = encodeU32(locals + 1);
    const shared = encodeU32(globals);
    this.getFuel = [0x20, ...fuel];
    this.setFuel = [0x21, ...fuel];
    this.teeFuel = [0x22, ...fuel];
    this.getLength = [0x20, ...length];
    this.setLength = [0x21, ...length];
    this.store = [...this.getFuel, 0x24, ...shared];
    this.load = [0x23, ...shared, ...this.setFuel];
    this.trapIfEmpty = [I64_CONST, 0, I64_LT_S, OP.if, VOID, ...this.store, OP.unreachable, OP.end];
    this.from = reader.at;
  }

  rewrite(): void {
    const { reader } = this;
    this.out.put(this.load);
    while (!reader.isAtEnd) {
      const at = reader.at;
      const op = reader.byte();
      if (!isFree(op)) this.cost++;
      const isExit = this.followBlocks(op);
      const step = skipOperands(reader, op, this.globals);
      if (isExit || step === "exit") this.putExit(at);
      else this.putStep(step, at);
    }
    this.charge(reader.end);
  }

  done(): Uint8Array {
    return this.out.done();
  }

  /** Whether the instruction may leave the function: its end, or a branch to it. */
  private followBlocks(op: number): boolean {
    if (op === OP.block || op === OP.loop || op === OP.if) this.depth++;
    if (op === OP.end) return this.depth-- === 0;
    if (op !== OP.br && op !== OP.brIf && op !== OP.brTable) return false;
    const { reader } = this;
    const back = reader.at;
    let leaves = false;
    for (let left = op === OP.brTable ? reader.u32() + 1 : 1; left > 0; left--)
      if (reader.u32() === this.depth) leaves = true;
    reader.at = back;
    return leaves;
  }

  private putStep(step: Step, at: number): void {
    const { reader, out } = this;
    if (step === "plain") return;
    if (step === "branch" || step === "loop") {
      this.charge(reader.at);
      this.checks = step === "loop";
      return;
    }
    this.charge(at);
    if (step === "call") out.put(this.store);
    if (step === "bulk-memory") this.chargeLength([I64_CONST, BYTES_SHIFT, I64_SHR_U]);
    if (step === "bulk-table") this.chargeLength([]);
    this.putInstruction(at);
    if (step === "call") out.put(this.load);
    if (step === "grow") this.markDenied();
  }

  /** Also before a trap, so that the fuel used until then is known. */
  private putExit(at: number): void {
    this.charge(at);
    this.out.put(this.store);
    this.putInstruction(at);
  }

  private putInstruction(at: number): void {
    this.out.copy(this.reader.bytes, at, this.reader.at);
    this.from = this.reader.at;
  }

  private charge(to: number): void {
    const { out } = this;
    if (this.cost > 0) {
      out.put([...this.getFuel, I64_CONST, ...encodeSigned(this.cost), I64_SUB]);
      out.put(this.checks ? this.teeFuel : this.setFuel);
    } else if (this.checks) out.put(this.getFuel);
    if (this.checks) out.put(this.trapIfEmpty);
    out.copy(this.reader.bytes, this.from, to);
    this.from = to;
    this.cost = 0;
    this.checks = false;
  }

  private chargeLength(scale: readonly number[]): void {
    this.out.put([
      ...this.setLength,
      ...this.getFuel,
      ...this.getLength,
      I64_EXTEND_I32_U,
      ...scale,
      I64_SUB,
      ...this.teeFuel,
      ...this.trapIfEmpty,
      ...this.getLength,
    ]);
  }

  /** memory.grow gives -1 where the limit is reached; the module may go on or trap by itself. */
  private markDenied(): void {
    const mark = [I32_CONST, 1, 0x24, ...encodeU32(this.globals + 1)];
    this.out.put([
      ...this.setLength,
      ...this.getLength,
      I32_CONST,
      0x7f,
      I32_EQ,
      OP.if,
      VOID,
      ...mark,
      OP.end,
      ...this.getLength,
    ]);
  }
}

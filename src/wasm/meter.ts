// Rewrites a module so that it counts its instructions down from an amount of fuel and traps when none is left. The
// same input uses the same fuel on every machine. Costs are those of Wasmtime: 1 for each instruction, 0 for the
// structure of the code, 1 for each call; bulk operations also cost by their length.
//
// The fuel is an i64 global that the meter appends and exports. Each function keeps it in a local, and stores it before
// a call and at its end. The start function becomes an export: it must not run before the fuel is set.
import { ByteReader, ByteWriter, encodeU32 } from "./bytes.ts";
import { skipConstant } from "./instructions.ts";
import { meterFunction } from "./meter-function.ts";
import {
  orderOf,
  readBounds,
  readExports,
  readerOf,
  readImports,
  readSections,
  readTypes,
  SECTION,
  type Section,
  skipValueType,
} from "./sections.ts";

export interface MeterOptions {
  /** Of 64 KiB each. */
  readonly maxMemoryPages: number;
}

export interface MeteredModule {
  readonly bytes: Uint8Array;
  /** The exports that the meter added. */
  readonly names: MeterExports;
}

export interface MeterExports {
  /** A mutable i64 global: the fuel that is left; below zero when it ran out. */
  readonly fuel: string;
  /** A mutable i32 global: 1 after the module asked for more memory than it may have. */
  readonly memoryDenied: string;
  /** The module's start function; null if it has none. */
  readonly start: string | null;
}

/** Entries of one table, as in Wasmtime's pooling allocator; V8 allows ten million. */
const MAX_TABLE_ENTRIES = 100_000;
/** Limits of compilers: V8 refuses more too, but only after it has begun. */
const MAX_FUNCTION_BYTES = 4 * 1024 * 1024;
const MAX_SEGMENTS = 100_000;

interface Layout {
  readonly bytes: Uint8Array;
  readonly sections: readonly Section[];
  readonly paramsOf: (definedFunction: number) => number;
  readonly importedGlobals: number;
  readonly globals: number;
  readonly names: MeterExports;
  readonly startFunction: number | null;
}

/** Throws INVALID_MODULE for a module with features that the meter does not know. */
export function meterModule(bytes: Uint8Array, { maxMemoryPages }: MeterOptions): MeteredModule {
  const layout = readLayout(bytes);
  const rewritten = new Map<number, Uint8Array>();
  rewritten.set(SECTION.global, globalSection(layout));
  rewritten.set(SECTION.export, exportSection(layout));
  for (const section of layout.sections) {
    const reader = readerOf(bytes, section);
    if (section.id === SECTION.memory) rewritten.set(section.id, memorySection(reader, maxMemoryPages));
    if (section.id === SECTION.table) rewritten.set(section.id, tableSection(reader, layout));
    if (section.id === SECTION.code) rewritten.set(section.id, codeSection(reader, layout));
    if (section.id === SECTION.data || section.id === SECTION.element) checkCount(reader);
  }
  return { bytes: assemble(layout, rewritten), names: layout.names };
}

function readLayout(bytes: Uint8Array): Layout {
  const sections = readSections(bytes);
  const read = <T>(id: number, work: (reader: ByteReader) => T, otherwise: T): T => {
    const section = sections.find((candidate) => candidate.id === id);
    return section === undefined ? otherwise : work(readerOf(bytes, section));
  };
  const types = read(SECTION.type, readTypes, []);
  const imports = read(SECTION.import, readImports, []);
  const functions = read(
    SECTION.function,
    (reader) => Array.from({ length: reader.u32() }, () => reader.u32()),
    [],
  );
  const importedGlobals = imports.filter(({ kind }) => kind === "global").length;
  const globals = importedGlobals + read(SECTION.global, (reader) => reader.u32(), 0);
  const exports = read(SECTION.export, readExports, []);
  const startFunction = read(SECTION.start, (reader) => reader.u32(), null as number | null);
  const taken = new Set(exports.map(({ name }) => name));
  return {
    bytes,
    sections,
    importedGlobals,
    globals,
    startFunction,
    names: {
      fuel: freeName("hotcell:fuel", taken),
      memoryDenied: freeName("hotcell:memory-denied", taken),
      start: startFunction === null ? null : freeName("hotcell:start", taken),
    },
    paramsOf(defined) {
      const type = types[functions[defined] ?? -1];
      return (
        type?.params.length ??
        new ByteReader(bytes, "function section").refuse(
          "a type that does not exist",
          `numbers below ${types.length}`,
        )
      );
    },
  };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted;
}

const I32 = 0x7f;
const I64 = 0x7e;
const MUTABLE = 1;
const END = 0x0b;

/** Fuel has the first number after the module's own globals, the mark of denied memory the second. */
function globalSection({ bytes, sections, importedGlobals, globals }: Layout): Uint8Array {
  const own = globals - importedGlobals;
  const writer = new ByteWriter(64);
  writer.put(encodeU32(own + 2));
  const section = sections.find(({ id }) => id === SECTION.global);
  if (section !== undefined) {
    const reader = readerOf(bytes, section);
    reader.u32();
    const from = reader.at;
    for (let index = 0; index < own; index++) {
      skipValueType(reader);
      reader.byte();
      skipConstant(reader, importedGlobals + index);
    }
    writer.copy(bytes, from, reader.at);
  }
  writer.put([I64, MUTABLE, 0x42, 0, END, I32, MUTABLE, 0x41, 0, END]);
  return writer.done();
}

const FUNCTION_EXPORT = 0;
const GLOBAL_EXPORT = 3;

function exportSection({ bytes, sections, globals, names, startFunction }: Layout): Uint8Array {
  const section = sections.find(({ id }) => id === SECTION.export);
  const reader = section && readerOf(bytes, section);
  const own = reader?.u32() ?? 0;
  const writer = new ByteWriter(256);
  writer.put(encodeU32(own + (names.start === null ? 2 : 3)));
  if (reader !== undefined) {
    const from = reader.at;
    for (let left = own; left > 0; left--) {
      reader.name();
      const kind = reader.byte();
      if (reader.u32() >= globals && kind === GLOBAL_EXPORT)
        reader.refuse("the number of a global that does not exist", `numbers below ${globals}`);
    }
    writer.copy(bytes, from, reader.at);
  }
  const put = (name: string, kind: number, index: number) => {
    const encoded = Buffer.from(name);
    writer.put([...encodeU32(encoded.length), ...encoded, kind, ...encodeU32(index)]);
  };
  put(names.fuel, GLOBAL_EXPORT, globals);
  put(names.memoryDenied, GLOBAL_EXPORT, globals + 1);
  if (names.start !== null) put(names.start, FUNCTION_EXPORT, startFunction!);
  return writer.done();
}

function memorySection(reader: ByteReader, maxPages: number): Uint8Array {
  const writer = new ByteWriter(32);
  const count = reader.u32();
  if (count > 1) reader.refuse(`${count} memories`, "one memory");
  writer.put(encodeU32(count));
  for (let left = count; left > 0; left--) putBounds(writer, reader, "memory", maxPages);
  return writer.done();
}

function tableSection(reader: ByteReader, { importedGlobals }: Layout): Uint8Array {
  const writer = new ByteWriter(64);
  const count = reader.u32();
  writer.put(encodeU32(count));
  let entries = 0;
  for (let left = count; left > 0; left--) {
    const from = reader.at;
    const hasValue = reader.peek() === 0x40;
    if (hasValue) reader.skip(2);
    skipValueType(reader);
    writer.copy(reader.bytes, from, reader.at);
    entries += putBounds(writer, reader, "table", MAX_TABLE_ENTRIES);
    if (entries > MAX_TABLE_ENTRIES)
      reader.refuse(`tables of ${entries} entries at the start`, `at most ${MAX_TABLE_ENTRIES} together`);
    const value = reader.at;
    if (hasValue) skipConstant(reader, importedGlobals);
    writer.copy(reader.bytes, value, reader.at);
  }
  return writer.done();
}

function putBounds(writer: ByteWriter, reader: ByteReader, what: string, most: number): number {
  const { min, max } = readBounds(reader, what);
  if (min > most) reader.refuse(`a ${what} of ${min} at the start`, `at most ${most}`);
  writer.put([1, ...encodeU32(min), ...encodeU32(Math.min(max ?? most, most))]);
  return min;
}

function checkCount(reader: ByteReader): void {
  const count = reader.u32();
  if (count > MAX_SEGMENTS) reader.refuse(`${count} segments`, `at most ${MAX_SEGMENTS}`);
}

function codeSection(reader: ByteReader, layout: Layout): Uint8Array {
  const { bytes, globals, paramsOf } = layout;
  const writer = new ByteWriter((reader.end - reader.at) * 2);
  const count = reader.u32();
  writer.put(encodeU32(count));
  for (let index = 0; index < count; index++) {
    const size = reader.u32();
    if (size > MAX_FUNCTION_BYTES)
      reader.refuse(`a function of ${size} bytes`, `at most ${MAX_FUNCTION_BYTES}`);
    const end = reader.at + size;
    const body = meterFunction(new ByteReader(bytes, "code section", reader.at, end), {
      params: paramsOf(index),
      globals,
    });
    reader.skip(size);
    writer.put(encodeU32(body.length));
    writer.put(body);
  }
  return writer.done();
}

/** Custom sections are left out, except the names of functions, which traps show. */
function assemble({ bytes, sections }: Layout, rewritten: ReadonlyMap<number, Uint8Array>): Uint8Array {
  const kept = sections.filter(
    (section) => section.id !== SECTION.start && (section.id !== SECTION.custom || isNames(bytes, section)),
  );
  const content = kept.map((section) => ({
    id: section.id,
    order: section.id === SECTION.custom ? Number.POSITIVE_INFINITY : orderOf(section.id),
    body: rewritten.get(section.id) ?? bytes.subarray(section.start, section.end),
  }));
  for (const id of [SECTION.global, SECTION.export])
    if (!kept.some((section) => section.id === id))
      content.push({ id, order: orderOf(id), body: rewritten.get(id)! });
  content.sort((a, b) => a.order - b.order);
  const writer = new ByteWriter(bytes.length * 2);
  writer.put(bytes.subarray(0, 8));
  for (const { id, body } of content) {
    writer.put([id, ...encodeU32(body.length)]);
    writer.put(body);
  }
  return writer.done().slice();
}

function isNames(bytes: Uint8Array, section: Section): boolean {
  return readerOf(bytes, section).name() === "name";
}

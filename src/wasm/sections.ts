// Splits a module into its sections and reads the parts that both the inspection and the meter need.
import { ByteReader, refuseModule } from "./bytes.ts";

export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
} as const;

const NAMES = new Map<number, string>(Object.entries(SECTION).map(([name, id]) => [id, name]));

/** The order of the sections in a module. */
const ORDER: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];

export interface Section {
  readonly id: number;
  /** Where its content begins and ends in the module. */
  readonly start: number;
  readonly end: number;
}

function sectionName(id: number): string {
  return `${NAMES.get(id) ?? id} section`;
}

export function orderOf(id: number): number {
  return ORDER.indexOf(id);
}

export function readerOf(bytes: Uint8Array, { id, start, end }: Section): ByteReader {
  return new ByteReader(bytes, sectionName(id), start, end);
}

export function readSections(bytes: Uint8Array): Section[] {
  checkHeader(bytes);
  const reader = new ByteReader(bytes, "list of sections", 8);
  const sections: Section[] = [];
  let last = -1;
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const size = reader.u32();
    const start = reader.at;
    reader.skip(size);
    if (!NAMES.has(id)) reader.refuse(`a section with the number ${id}`, TAGS);
    if (id !== SECTION.custom && orderOf(id) <= last)
      reader.refuse(`a ${sectionName(id)} out of order`, "each section once, in order");
    if (id !== SECTION.custom) last = orderOf(id);
    sections.push({ id, start, end: start + size });
  }
  return sections;
}

const TAGS = "no exception handling (tags), nor any section that Node 20 does not know";

function checkHeader(bytes: Uint8Array): void {
  const isWasm =
    bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
  if (!isWasm)
    refuseModule("header", startOf(bytes), 'a binary module (a text module is compiled with "wat2wasm")');
  if (bytes[6] !== 0) refuseModule("header", "a component", "a core module for WASI preview1");
  if (bytes[4] !== 1 || bytes[5] !== 0 || bytes[7] !== 0)
    refuseModule("header", `version ${bytes[4]}`, "version 1");
}

function startOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12));
  return /^\s*\(module/.test(head.toString("latin1"))
    ? "text (wat)"
    : `the bytes ${head.toString("hex") || "of an empty file"}`;
}

export interface Bounds {
  readonly min: number;
  /** Null: none. */
  readonly max: number | null;
}

/** The bounds of a memory or a table. */
export function readBounds(reader: ByteReader, what: string): Bounds {
  const flags = reader.byte();
  if ((flags & 4) !== 0) reader.refuse(`a ${what} with 64-bit addresses`, "32-bit addresses");
  if ((flags & 2) !== 0) reader.refuse(`a shared ${what}`, "no threads");
  if (flags > 1) reader.refuse(`a ${what} with the flags ${flags}`, "0 or 1");
  const min = reader.u32();
  return { min, max: flags === 1 ? reader.u32() : null };
}

const VALUE_TYPES: ReadonlyMap<number, string> = new Map([
  [0x7f, "i32"],
  [0x7e, "i64"],
  [0x7d, "f32"],
  [0x7c, "f64"],
  [0x7b, "v128"],
  [0x70, "funcref"],
  [0x6f, "externref"],
]);

/** Gives the name of the type. */
export function skipValueType(reader: ByteReader): string {
  const type = reader.byte();
  return (
    VALUE_TYPES.get(type) ??
    reader.refuse(`the type 0x${type.toString(16)}`, "no garbage collection, no typed references")
  );
}

export interface FunctionType {
  readonly params: readonly string[];
  readonly results: readonly string[];
}

export const formatType = (params: readonly string[], results: readonly string[]): string =>
  `(${params.join(", ")}) -> (${results.join(", ")})`;

export function readTypes(reader: ByteReader): FunctionType[] {
  const types: FunctionType[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const form = reader.byte();
    if (form !== 0x60)
      reader.refuse(`the form 0x${form.toString(16)}`, "function types (no garbage collection)");
    const params = readValueTypes(reader);
    types.push({ params, results: readValueTypes(reader) });
  }
  return types;
}

/** One by one: the number of types that a module names may be larger than the module. */
function readValueTypes(reader: ByteReader): string[] {
  const types: string[] = [];
  for (let left = reader.u32(); left > 0; left--) types.push(skipValueType(reader));
  return types;
}

export type ImportKind = "function" | "table" | "memory" | "global";
const KINDS: readonly ImportKind[] = ["function", "table", "memory", "global"];

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ImportKind;
  /** Of a function. */
  readonly type: number;
}

export function readImports(reader: ByteReader): ModuleImport[] {
  const imports: ModuleImport[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const module = reader.name();
    const name = reader.name();
    const kind = readKind(reader);
    imports.push({ module, name, kind, type: kind === "function" ? reader.u32() : 0 });
    if (kind === "table") skipValueType(reader);
    if (kind === "table" || kind === "memory") readBounds(reader, kind);
    if (kind === "global") {
      skipValueType(reader);
      reader.byte();
    }
  }
  return imports;
}

export interface ModuleExport {
  readonly name: string;
  readonly kind: ImportKind;
  readonly index: number;
}

export function readExports(reader: ByteReader): ModuleExport[] {
  const exports: ModuleExport[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const name = reader.name();
    exports.push({ name, kind: readKind(reader), index: reader.u32() });
  }
  return exports;
}

function readKind(reader: ByteReader): ImportKind {
  const kind = reader.byte();
  return KINDS[kind] ?? reader.refuse(`an entry of kind ${kind}`, KINDS.join(", "));
}

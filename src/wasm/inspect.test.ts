import { expect, test } from "vitest";
import { compileWat } from "../../test/kit/compile-wat.ts";
import { commandContract } from "./contract.ts";
import { inspectModule } from "./inspect.ts";
import { meterModule } from "./meter.ts";

const contract = commandContract(1024);
const START = '(memory (export "memory") 1) (func (export "_start"))';

test("a command tells its imports and its memory, and nothing of it runs", async () => {
  const wat = `(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))) ${START} (func $s unreachable) (start $s))`;
  expect(inspectModule(await compileWat(wat), contract)).toMatchObject({
    imports: [{ module: "wasi_snapshot_preview1", name: "fd_write", kind: "function" }],
    memoryPages: 1,
  });
});

test.each([
  [
    "wasm-077",
    `(module (import "env" "fetch" (func (param i32))) ${START})`,
    "import section",
    '"env"."fetch"',
  ],
  [
    "wasm-078",
    `(module (import "wasi_snapshot_preview1" "sock_accept" (func)) ${START})`,
    "import section",
    "sock_accept",
  ],
  [
    "wasm-082",
    `(module (import "wasi_snapshot_preview1" "proc_raise" (func)) ${START})`,
    "import section",
    "proc_raise",
  ],
  [
    "wasm-094",
    `(module (import "wasi_unstable" "fd_write" (func)) ${START})`,
    "import section",
    "wasi_unstable",
  ],
  ["wasm-096", `(module (import "__proto__" "x" (func)) ${START})`, "import section", "__proto__"],
  [
    "wasm-096",
    `(module (import "wasi_snapshot_preview1" "constructor" (func)) ${START})`,
    "import section",
    "constructor",
  ],
  [
    "wasm-088",
    '(module (import "env" "memory" (memory 1)) (func (export "_start")))',
    "import section",
    "a memory",
  ],
  [
    "hotcell.call of another type",
    `(module (import "hotcell" "call" (func (param i64) (result i64))) ${START})`,
    "import section",
    '"hotcell"."call" of the type (i64) -> (i64)',
  ],
  [
    "proc_exit with a result",
    `(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32) (result i32))) ${START})`,
    "import section",
    '"proc_exit" of the type (i32) -> (i32)',
  ],
  ["wasm-085", '(module (memory (export "memory") 1))', "export section", '"memory"'],
  [
    "wasm-086",
    '(module (memory (export "memory") 1) (func (export "_initialize")))',
    "export section",
    "_initialize",
  ],
  ["wasm-087", '(module (memory 1) (func (export "_start")))', "export section", "_start"],
  ["no memory", '(module (func (export "_start")))', "memory section", "0 memories"],
  [
    "wasm-053",
    '(module (memory (export "memory") 65536) (func (export "_start")))',
    "memory section",
    "65536 pages",
  ],
])("%s is refused with the section and what was found", async (_id, wat, section, found) => {
  const bytes = await compileWat(wat);
  expect(() => inspectModule(bytes, contract)).toThrow(
    expect.objectContaining({
      code: "INVALID_MODULE",
      details: { section, found: expect.stringContaining(found), allowed: expect.any(String) },
    }),
  );
});

test("wasm-095 exports named like what every object has are no way in", async () => {
  const wat =
    '(module (memory (export "memory") 1) (func (export "constructor")) (func (export "__proto__")))';
  const bytes = await compileWat(wat);
  expect(() => inspectModule(bytes, contract)).toThrow('the function "_start"');
});

const WASM = [0, 0x61, 0x73, 0x6d];
test.each([
  ["wasm-089 bad magic", [1, 2, 3, 4, 1, 0, 0, 0], "header"],
  ["an empty file", [], "header"],
  ["wasm-079, wasm-091 a component", [...WASM, 0x0d, 0, 1, 0], "a component"],
  ["wasm-092 text", [...Buffer.from('(module (func (export "_start")))')], "text (wat)"],
  ["another version", [...WASM, 2, 0, 0, 0], "version 2"],
  ["wasm-090 a cut section", [...WASM, 1, 0, 0, 0, 1, 100, 1], "early end"],
  ["a number without an end", [...WASM, 1, 0, 0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "five bytes"],
  ["sections out of order", [...WASM, 1, 0, 0, 0, 3, 1, 0, 1, 1, 0], "out of order"],
])("%s is refused", (_name, bytes, found) => {
  expect(() => inspectModule(Uint8Array.from(bytes), contract)).toThrow(found);
});

test("wasm-090 a module cut at any byte is refused or complete, and never crashes the reader", async () => {
  const bytes = await compileWat(
    `(module ${START} (data (i32.const 0) "x") (func (param i32) (result i32) (block (br_if 0 (local.get 0))) (i32.const 1)))`,
  );
  for (let length = 0; length < bytes.length; length++) {
    const read = () => {
      inspectModule(bytes.subarray(0, length), contract);
      meterModule(bytes.subarray(0, length), { maxMemoryPages: 16 });
    };
    try {
      read();
    } catch (error) {
      expect(error).toMatchObject({ code: "INVALID_MODULE" });
    }
  }
});

/** A section with its length. */
const section = (id: number, body: readonly number[]) => [id, ...leb(body.length), ...body];
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);

test.each([
  [
    "wasm-068 a function of 5 MB",
    () => section(10, [1, ...leb(5_000_001), 0, ...Array(5_000_000).fill(1)]),
    "a function of 5000001 bytes",
  ],
  [
    "wasm-069 a br_table with a million targets",
    () => {
      const code = [0, 0x41, 0, 0x0e, ...leb(1_000_000), ...Array(1_000_001).fill(0), 0x0b];
      return section(10, [1, ...leb(code.length), ...code]);
    },
    "a br_table with 1000000 targets",
  ],
  ["wasm-071 a million data segments", () => section(11, leb(1_000_000)), "1000000 segments"],
])("%s is refused before it is compiled", (_name, body, found) => {
  const bytes = Uint8Array.from([
    ...WASM,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, 0, 0]),
    ...section(3, [1, 0]),
    ...body(),
  ]);
  expect(() => meterModule(bytes, { maxMemoryPages: 16 })).toThrow(found);
});

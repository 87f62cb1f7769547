// Modules that pass the inspection and cannot run: each is told apart, and none looks like a missing sandbox.
import { expect, test } from "vitest";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { command, makeToolFolder, type ToolCode } from "../../kit/worlds/wasm-tool-folder.ts";

const MEMORY = '(memory (export "memory") 1)';
const START = '(func (export "_start"))';

/** `_start` adds two values that nobody pushed. */
const UNTYPED = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[5, 3, 1, 0, 1],
  ...[7, 19, 2, 6, ...Buffer.from("memory"), 2, 0, 6, ...Buffer.from("_start"), 0, 0],
  ...[10, 5, 1, 3, 0, 0x6a, 0x0b],
]);

test.each<[string, ToolCode, string, string]>([
  [
    "code of wrong types",
    { wasm: UNTYPED },
    "INVALID_MODULE",
    '/tool.wasm"): its module is not valid WebAssembly',
  ],
  [
    "more locals than V8 compiles",
    { wat: `(module ${MEMORY} (func (export "_start") ${"(local i64)".repeat(50_001)}))` },
    "INVALID_MODULE",
    "local count too large",
  ],
  [
    "data outside its memory",
    { wat: `(module ${MEMORY} (data (i32.const 65536) "xx") ${START})` },
    "TRAP",
    "out of bounds",
  ],
  [
    "a table segment outside its table",
    { wat: `(module ${MEMORY} (table 1 funcref) (elem (i32.const 5) 0) ${START})` },
    "TRAP",
    "out of bounds",
  ],
  [
    "a _start with a parameter of 64 bits",
    { wat: `(module ${MEMORY} (func (export "_start") (param i64)))` },
    "TRAP",
    "BigInt",
  ],
])(
  "a module with %s fails with a code of its own, and the next call has a guest",
  async (_name, code, error, message) => {
    const broken = await makeToolFolder(code);
    const good = await makeToolFolder({ wat: command("") }, { name: "good" });
    const tools = [wasmTool({ path: broken }), wasmTool({ path: good })];
    const { cell } = await openTempCell({ tools, guestProcesses: 1 });
    for (let times = 0; times < 2; times++) {
      const failed = await cell.call({ name: "tested", arguments: {} });
      expect([failed.error?.code, failed.error?.message]).toEqual([error, expect.stringContaining(message)]);
    }
    expect((await cell.call({ name: "good", arguments: {} })).output).toEqual({});
  },
);

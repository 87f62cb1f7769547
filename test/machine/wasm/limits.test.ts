// P3.3: time, memory, fuel and output of a wasm tool are limited, and told apart.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { command, makeToolFolder, type ToolCode } from "../../kit/worlds/wasm-tool-folder.ts";

async function run(code: ToolCode, manifest: object = {}, options: Partial<CellOptions> = {}) {
  const path = await makeToolFolder(code, manifest);
  const { cell } = await openTempCell({ tools: [wasmTool({ path })], ...options });
  return cell.call({ name: "tested", arguments: {} });
}

test("P3.1, P3.2 a wasm tool runs: JSON in, JSON out, in the full sandbox, with what it used in meta.wasm", async () => {
  const { success, output, error, meta } = await run({ wat: command("") });
  expect({ success, output, error }).toEqual({ success: true, output: {}, error: null });
  expect(meta.isolation).toBe("full");
  expect(meta.wasm).toEqual({
    fuel: expect.any(Number),
    memoryBytes: 65_536,
    hostCalls: 0,
    denied: [],
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(meta.wasm!.fuel).toBeGreaterThan(5);
});

const ENDLESS = "(loop $l (br $l))";
const HOUR = `(i64.store (i32.const 2048) (i64.const 0)) (i32.store8 (i32.const 2056) (i32.const 0))
  (i64.store (i32.const 2072) (i64.const 3600000000000)) (drop (call $poll (i32.const 2048) (i32.const 4096) (i32.const 1) (i32.const 16)))`;
const FLOOD = `(loop $l (call $say (i32.const 0) (i32.const 65536)) (br $l))`;
const CALLS = `(loop $l (drop (call $call (i32.const 512) (i32.const 2) (i32.const 0) (i32.const 0) (i32.const 2048) (i32.const 1000))) (br $l))`;
const GROW = "(if (i32.eq (memory.grow (i32.const 65535)) (i32.const -1)) (then unreachable))";
const FUEL = { limits: { fuel: 1_000_000 } };
const SECOND = { limits: { timeout: 1, fuel: Number.MAX_SAFE_INTEGER } };

test.each([
  [
    "TIMEOUT",
    "an endless loop with fuel for years (wasm-049)",
    command(ENDLESS),
    SECOND,
    "longer than its 1000 ms",
  ],
  ["TIMEOUT", "a sleep of an hour (wasm-058)", command(HOUR), SECOND, "longer than its 1000 ms"],
  ["TIMEOUT", "endless host calls", command(CALLS), SECOND, "longer than its 1000 ms"],
  ["FUEL_EXHAUSTED", "an endless loop", command(ENDLESS), FUEL, "its 1000000 units of fuel"],
  [
    "FUEL_EXHAUSTED",
    "an endless start function (wasm-050)",
    `(module (memory (export "memory") 1) (func $s ${ENDLESS}) (start $s) (func (export "_start")))`,
    FUEL,
    "raise limits.fuel",
  ],
  [
    "FUEL_EXHAUSTED",
    "a memory.fill of a MiB in a loop (wasm-065)",
    `(module (memory (export "memory") 16) (func (export "_start") (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (br $l))))`,
    FUEL,
    "fuel",
  ],
  [
    "MEMORY_LIMIT",
    "4 GiB of memory (wasm-051)",
    command(GROW),
    { limits: { memory: 8 } },
    "more than its 8 MiB",
  ],
  ["OUTPUT_LIMIT", "output without end (wasm-062)", command(FLOOD), {}, "more than 1048576 bytes"],
  ["TRAP", "unreachable (wasm-055)", command("unreachable"), {}, "unreachable"],
  [
    "TRAP",
    "a division by zero (wasm-056)",
    command("(drop (i32.div_u (i32.const 1) (i32.const 0)))"),
    {},
    "divide by zero",
  ],
  [
    "TRAP",
    "a load outside the memory (wasm-057)",
    command("(drop (i32.load (i32.const -4)))"),
    {},
    "out of bounds",
  ],
  [
    "TRAP",
    "endless recursion (wasm-054)",
    `(module (memory (export "memory") 1) (func $f (call $f)) (func (export "_start") (call $f)))`,
    {},
    "call stack",
  ],
  [
    "INVALID_OUTPUT",
    "no output",
    `(module (memory (export "memory") 1) (func (export "_start")))`,
    {},
    "to standard output, and everything else to standard error",
  ],
  [
    "EXECUTION_ERROR",
    "exit code 255 (wasm-084)",
    command("(call $exit (i32.const 255))"),
    {},
    "exit code 255",
  ],
] as const)("%s: %s", async (code, _name, wat, manifest, message) => {
  const { error, meta } = await run({ wat }, manifest);
  expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(message)]);
  expect(meta.wasm?.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  [
    command(ENDLESS),
    SECOND,
    /^The wasm tool was ended: after \d{4} ms it had run longer than its 1000 ms\. To allow more, raise limits\.timeout, or TOOL_TIMEOUT_SECS if that is lower\.$/,
  ],
  [
    command(ENDLESS),
    FUEL,
    /^The wasm tool was ended: it used up its 1000000 units of fuel\. To allow more, raise limits\.fuel\.$/,
  ],
  [
    command(GROW),
    { limits: { memory: 8 } },
    /^The wasm tool was ended: it had 0\.1 MiB of memory, and asked for more than its 8 MiB\. To allow more, raise limits\.memory, or TOOL_MEMORY_MB if that is lower\.$/,
  ],
  [
    command(FLOOD),
    {},
    /^The wasm tool was ended: it wrote more than 1048576 bytes to standard output, which is the limit\. The limit is fixed\. Let the tool give a part of its result, or write it to a file in \/workspace with the capability filesystem "write"\.$/,
  ],
] as const)(
  "P3.3, 001 failure mode: a limit is told with what was used and how to raise it",
  async (wat, manifest, message) => {
    expect((await run({ wat }, manifest)).error?.message).toMatch(message);
  },
);

test("001 failure mode: a tool that traps after a denial is CAPABILITY_DENIED, and names the capability", async () => {
  const denied = `(drop (call $call (i32.const 1024) (i32.const 14) (i32.const 1038) (i32.const 12) (i32.const 2048) (i32.const 1000))) (drop (i32.div_u (i32.const 0) (i32.const 0)))`;
  const { error, meta } = await run({ wat: command(denied, 'workspace.read{"path":"a"}') });
  expect([error?.code, error?.message, meta.wasm?.denied]).toEqual([
    "CAPABILITY_DENIED",
    expect.stringMatching(/divide by zero, and was denied filesystem\. To allow it/),
    ["filesystem"],
  ]);
});

test("P3.3 TOOL_MEMORY_MB and TOOL_TIMEOUT_SECS cap what a manifest asks for", async () => {
  const memory = await run({ wat: command(GROW) }, { limits: { memory: 512 } }, { toolMemoryMb: 16 });
  expect(memory.error?.message).toContain("more than its 16 MiB");
  const time = await run(
    { wat: command(ENDLESS) },
    { limits: { timeout: 100, fuel: Number.MAX_SAFE_INTEGER } },
    { timeoutMs: 700 },
  );
  expect(time.error?.message).toContain("longer than its 700 ms");
});

test("a time limit of the scope is named in the message: no setting of the tool raises it", async () => {
  const manifest = { limits: { timeout: 100, fuel: Number.MAX_SAFE_INTEGER } };
  const scope = { permissions: { tested: { allowed: true, timeout: "700ms" } } };
  const { error } = await run({ wat: command(ENDLESS) }, manifest, { scope });
  expect([error?.code, error?.message]).toEqual([
    "TIMEOUT",
    expect.stringMatching(/longer than its 700 ms\. To allow more, raise the timeout of the scope\.$/),
  ]);
});

test("a module that begins with more memory than TOOL_MEMORY_MB allows is MEMORY_LIMIT", async () => {
  const wat = command("").replace('(memory (export "memory") 1)', '(memory (export "memory") 64)');
  const { error } = await run({ wat }, {}, { toolMemoryMb: 2 });
  expect([error?.code, error?.message]).toEqual([
    "MEMORY_LIMIT",
    expect.stringContaining("4 MiB of memory, and may have 2 MiB"),
  ]);
});

test("the same input uses the same fuel in each call, in WebAssembly and in JavaScript", async () => {
  for (const code of [
    { wat: command("") },
    { js: "export default () => ({ n: [3, 1, 2].sort().join() })" },
  ]) {
    const path = await makeToolFolder(code);
    const { cell } = await openTempCell({ tools: [wasmTool({ path })] });
    const used = async () => (await cell.call({ name: "tested", arguments: { a: 1 } })).meta.wasm?.fuel;
    const first = await used();
    expect(first).toBeGreaterThan(0);
    expect([await used(), await used()]).toEqual([first, first]);
  }
});

test("a call that is cancelled ends at once, and the next one has a new process", async () => {
  const path = await makeToolFolder(
    { js: "export default ({ wait }) => { if (wait) for (;;); return { done: true } }" },
    { limits: { fuel: Number.MAX_SAFE_INTEGER } },
  );
  const { cell } = await openTempCell({ tools: [wasmTool({ path })], guestProcesses: 1 });
  const cancel = new AbortController();
  const endless = cell.call(
    { name: "tested", arguments: { wait: true } },
    {
      signal: cancel.signal,
      onEvent: ({ kind }) => kind === "started" && setImmediate(() => cancel.abort()),
    },
  );
  expect((await endless).error?.code).toBe("CANCELLED");
  expect((await cell.call({ name: "tested", arguments: {} })).output).toEqual({ done: true });
});

describe("a pattern of a manifest that backtracks for ever", () => {
  const schema = { type: "object", properties: { a: { type: "string", pattern: "^a*a*a*a*a*a*a*b$" } } };
  const js = "export default ({ n = 0 }) => ({ a: 'a'.repeat(n) })";
  const call = async (manifest: object, args: object) => {
    const { cell } = await openTempCell({
      tools: [wasmTool({ path: await makeToolFolder({ js }, manifest) })],
    });
    return cell.call({ name: "tested", arguments: args });
  };

  test("keeps hotcell busy for a second at most, by the output that its tool chooses and by the input", async () => {
    const output = await call({ outputSchema: schema }, { n: 400 });
    expect([output.error?.code, output.error?.message]).toEqual([
      "INVALID_OUTPUT",
      expect.stringContaining("the patterns of the tool's schema took longer than 1000 ms"),
    ]);
    const input = await call({ inputSchema: schema }, { a: "a".repeat(400) });
    expect([input.error?.code, input.meta.outcome]).toEqual(["INVALID_ARGUMENTS", "not_executed"]);
  });

  test("checks a short text as always", async () => {
    expect((await call({ inputSchema: schema }, { a: "ab" })).error).toBeNull();
    expect((await call({ outputSchema: schema }, { n: 2 })).error?.message).toMatch(
      /must match pattern .*\. Correct the tool, or outputSchema in its manifest\.$/,
    );
    expect((await call({ inputSchema: schema }, { a: "ba" })).error?.code).toBe("INVALID_ARGUMENTS");
  });
});

test("code and manifest that change after the tool was loaded are not used", async () => {
  const path = await makeToolFolder({ js: "export default () => ({ version: 1 })" });
  const tool = wasmTool({ path });
  fs.writeFileSync(`${path}/tool.js`, "export default () => ({ version: 2 })");
  fs.writeFileSync(`${path}/manifest.json`, "{}");
  const { cell } = await openTempCell({ tools: [tool] });
  expect((await cell.call({ name: "tested", arguments: {} })).output).toEqual({ version: 1 });
});

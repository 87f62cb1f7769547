import { expect, test } from "vitest";
import { compileWat } from "../../test/kit/compile-wat.ts";
import { engine, type WasmGlobal, type WasmMemory } from "./engine.ts";
import { meterModule } from "./meter.ts";

const MAX = { maxMemoryPages: 16 };

interface Metered {
  readonly exports: Record<string, (...args: number[]) => number>;
  fuel(): bigint;
  isMemoryDenied(): boolean;
}

async function metered(wat: string, fuel: bigint, imports: object = {}): Promise<Metered> {
  const { bytes, names } = meterModule(await compileWat(wat), MAX);
  const { exports } = new engine.Instance(new engine.Module(bytes), imports);
  const left = exports[names.fuel] as WasmGlobal<bigint>;
  const denied = exports[names.memoryDenied] as WasmGlobal<number>;
  left.value = fuel;
  if (names.start !== null) (exports[names.start] as () => void)();
  return { exports: exports as never, fuel: () => left.value, isMemoryDenied: () => denied.value === 1 };
}

const LOOP = `(module (func (export "f") (param i32)
  (loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))`;

test("each instruction costs 1 and structure nothing, as in Wasmtime: 1 for the call, 5 for each turn of this loop", async () => {
  const { exports, fuel } = await metered(LOOP, 1000n);
  exports.f!(10);
  expect(1000n - fuel()).toBe(1n + 5n * 10n);
});

test("the same input uses the same fuel in each instance", async () => {
  const used = async () => {
    const { exports, fuel } = await metered(LOOP, 1_000_000n);
    exports.f!(1234);
    return 1_000_000n - fuel();
  };
  expect(await used()).toBe(await used());
});

test("a module without fuel traps, and its fuel is then below zero", async () => {
  const { exports, fuel } = await metered(LOOP, 100n);
  expect(() => exports.f!(1000)).toThrow(engine.RuntimeError);
  expect(fuel()).toBeLessThan(0n);
});

test("the start section does not run before the fuel is set, and is charged", async () => {
  const wat = `(module (global $g (export "g") (mut i32) (i32.const 0))
    (func $s (loop $l (global.set $g (i32.add (global.get $g) (i32.const 1))) (br_if $l (i32.lt_u (global.get $g) (i32.const 50)))))
    (start $s))`;
  const { exports, fuel } = await metered(wat, 10_000n);
  expect((exports.g as unknown as WasmGlobal<number>).value).toBe(50);
  expect(10_000n - fuel()).toBeGreaterThan(300n);
});

test("an endless start section traps when its fuel is used up", async () => {
  const wat = "(module (func $s (loop $l (br $l))) (start $s))";
  await expect(metered(wat, 1000n)).rejects.toThrow(engine.RuntimeError);
});

test.each([
  ["memory.fill", "(memory.fill (i32.const 0) (i32.const 1) (local.get 0))", 65_536 / 8],
  ["memory.copy", "(memory.copy (i32.const 0) (i32.const 8) (local.get 0))", 65_536 / 8],
  ["memory.init", "(memory.init $d (i32.const 0) (i32.const 0) (local.get 0))", 65_536 / 8],
  ["table.fill", "(table.fill $t (i32.const 0) (ref.null func) (local.get 0))", 65_536],
  ["table.copy", "(table.copy $t $t (i32.const 0) (i32.const 8) (local.get 0))", 65_536],
  ["table.init", "(table.init $t $e (i32.const 0) (i32.const 0) (local.get 0))", 65_536],
  ["table.grow", "(drop (table.grow $u (ref.null func) (local.get 0)))", 65_536],
])("%s costs by its length", async (_name, code, price) => {
  const wat = `(module (memory 16) (table $t 70000 funcref) (table $u 0 funcref) (data $d "${"x".repeat(65_536)}")
    (elem $e func ${"$f ".repeat(65_536)}) (func $f) (func (export "f") (param i32) ${code}))`;
  const { exports, fuel } = await metered(wat, 1_000_000n);
  exports.f!(0);
  const empty = 1_000_000n - fuel();
  exports.f!(65_536);
  expect(1_000_000n - fuel()).toBe(empty * 2n + BigInt(price));
});

test("several memories are refused, and so is an instruction for another memory", async () => {
  const two = [5, 5, 2, 0, 1, 0, 1];
  const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...two]);
  expect(() => meterModule(bytes, MAX)).toThrow("2 memories; allowed is one memory");
  const load = await compileWat(`(module (memory 1) (func (drop (i32.load (i32.const 0)))))`);
  // The alignment of i32.load, with the flag that a number of a memory follows.
  load[Buffer.from(load).indexOf(Buffer.from([0x28, 2, 0])) + 1] = 2 | 64;
  expect(() => meterModule(load, MAX)).toThrow("an instruction for another memory");
});

test("a bulk operation that costs more than the fuel left does not begin", async () => {
  const wat = `(module (memory (export "memory") 16) (func (export "f") (memory.fill (i32.const 0) (i32.const 1) (i32.const 1000000))))`;
  const { exports } = await metered(wat, 1000n);
  expect(() => exports.f!()).toThrow(engine.RuntimeError);
  expect(new Uint8Array((exports.memory as unknown as WasmMemory).buffer)[0]).toBe(0);
});

test("memory beyond the limit is refused, and the module is marked", async () => {
  const wat = `(module (memory 1) (func (export "f") (param i32) (result i32) (memory.grow (local.get 0))))`;
  const { exports, isMemoryDenied } = await metered(wat, 1000n);
  expect([exports.f!(15), isMemoryDenied()]).toEqual([1, false]);
  expect([exports.f!(1), isMemoryDenied()]).toEqual([-1, true]);
});

test("wasm-066 a table cannot grow to a thousand million entries", async () => {
  const wat = `(module (table 1 funcref) (func (export "f") (result i32) (table.grow (ref.null func) (i32.const 1000000000))))`;
  const { exports } = await metered(wat, 10_000_000_000n);
  expect(exports.f!()).toBe(-1);
});

test("calls and branches to the end of a function keep the count exact", async () => {
  const wat = `(module (import "h" "get" (func $get (result i32)))
    (func $inner (param i32) (result i32) (if (local.get 0) (then (return (i32.const 7)))) (i32.const 8))
    (func (export "f") (param i32) (result i32) (block $b (br_if 1 (call $inner (local.get 0)) (local.get 0))  (drop)) (call $get)))`;
  const { exports, fuel } = await metered(wat, 1000n, { h: { get: () => 3 } });
  expect(exports.f!(1)).toBe(7);
  const first = 1000n - fuel();
  exports.f!(1);
  expect(1000n - fuel()).toBe(first * 2n);
});

test("code cannot reach the meter's globals by their numbers", async () => {
  const wat = `(module (global (mut i64) (i64.const 0)) (func (export "f") (global.set 0 (i64.const 9))))`;
  const bytes = await compileWat(wat);
  // global.set 0 becomes global.set 1, which would be the fuel.
  const at = Buffer.from(bytes).indexOf(Buffer.from([0x42, 9, 0x24, 0]));
  bytes[at + 3] = 1;
  expect(() => meterModule(bytes, MAX)).toThrow(
    "the number of a global that does not exist; allowed is numbers below 1",
  );
});

test("wasm-093 a module with garbage collection is refused", () => {
  const struct = [1, 3, 1, 0x5f, 0];
  const bytes = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...struct]);
  expect(() => meterModule(bytes, MAX)).toThrow("type section");
});

test.each([
  ["wasm-072 shared memory", "(module (memory 1 2 shared))", "a shared memory"],
  ["wasm-093 64-bit memory", "(module (memory i64 1))", "64-bit addresses"],
  ["wasm-093 tail calls", "(module (func $f return_call $f))", "the instruction 0x12"],
  ["exceptions", "(module (tag $t) (func (throw $t)))", "exception handling"],
  ["a catch", "(module (func (try (do) (catch_all))))", "the instruction 0x6"],
  ["wasm-072, wasm-093 atomics", "(module (memory 1) (func (atomic.fence)))", "the instruction 0xfe"],
  [
    "many large tables",
    `(module ${"(table 60000 funcref)".repeat(2)})`,
    "tables of 120000 entries at the start",
  ],
])("a module with %s is refused", async (_name, wat, found) => {
  const bytes = await compileWat(wat);
  expect(() => meterModule(bytes, MAX)).toThrow(found);
});

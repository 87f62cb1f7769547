// Many calls at once, guests that die, and guests at work while directories are swapped.
import fs from "node:fs";
import { expect, test } from "vitest";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { callMany, expectNothingLeft } from "../../kit/machine-and-soak/wasm-load.ts";
import { raceCheckThenOpen, raceGuest } from "../../kit/machine-and-soak/wasm-race.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { command, makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

const guestPids = () =>
  fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean);

test("wasm-073 of 1,000 calls at once, as many run as there are guest processes; the others wait, and all succeed", async () => {
  const js = "export default ({ n }) => ({ n })";
  const tools = [wasmTool({ path: await makeToolFolder({ js }) })];
  const { cell } = await openTempCell({ tools, guestProcesses: 3 });
  const before = guestPids().length;
  let most = 0;
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  const outputs = await Promise.all(
    numbers.map(async (n) => {
      const { output } = await cell.call({ name: "tested", arguments: { n } });
      most = Math.max(most, guestPids().length - before);
      return output?.n;
    }),
  );
  expect(outputs).toEqual(numbers);
  expect(most).toBe(3);
});

test("wasm-074 calls 50 at a time, good and bad, leave no descriptor, process or memory behind", async () => {
  expectNothingLeft(await callMany(400, 50));
});

test("each call has a fresh instance, also in the same process", async () => {
  const js =
    "export default () => { const { seen = 0 } = globalThis; globalThis.seen = seen + 1; Object.prototype.left = 1; return { seen } }";
  // Traps if a call before has left its mark in the memory or in a global.
  const wat = command(`(if (i32.or (i32.load (i32.const 40000)) (global.get $mark)) (then unreachable))
    (i32.store (i32.const 40000) (i32.const 1)) (global.set $mark (i32.const 1))`).replace(
    "(memory",
    "(global $mark (mut i32) (i32.const 0)) (memory",
  );
  const dirs = [
    await makeToolFolder({ js }, { name: "by_js" }),
    await makeToolFolder({ wat }, { name: "by_wasm" }),
  ];
  const tools = dirs.map((path) => wasmTool({ path }));
  const { cell } = await openTempCell({ tools, guestProcesses: 2 });
  const before = new Set(guestPids());
  const started = new Set<string>();
  for (let round = 0; round < 3; round++) {
    expect((await cell.call({ name: "by_js", arguments: {} })).output).toEqual({ seen: 0 });
    expect((await cell.call({ name: "by_wasm", arguments: {} })).output).toEqual({});
    for (const pid of guestPids()) if (!before.has(pid)) started.add(pid);
  }
  expect(started.size).toBe(2);
});

test("a guest whose process is killed is GUEST_CRASHED; the calls beside it and after it are not harmed", async () => {
  const dir = await makeToolFolder(
    {
      js: "export default ({ wait }, host) => { host.call('log', { message: 'begun' }); while (wait); return { done: true } }",
    },
    { limits: { fuel: Number.MAX_SAFE_INTEGER, timeout: 60 } },
  );
  const { cell } = await openTempCell({ tools: [wasmTool({ path: dir })], guestProcesses: 2 });
  const before = new Set(guestPids());
  let begun = () => {};
  const isRunning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const endless = cell.call(
    { name: "tested", arguments: { wait: true } },
    { onEvent: (event) => event.kind === "output" && begun() },
  );
  await isRunning;
  for (const pid of guestPids()) if (!before.has(pid)) process.kill(Number(pid), "SIGKILL");
  const beside = cell.call({ name: "tested", arguments: {} });
  const { error, meta } = await endless;
  expect([error?.code, meta.wasm]).toMatchObject(["GUEST_CRASHED", { fuel: null, hostCalls: 1, denied: [] }]);
  expect((await beside).output).toEqual({ done: true });
  expect((await cell.call({ name: "tested", arguments: {} })).output).toEqual({ done: true });
});

test.each(["host", "overlay", "clone"] as const)(
  "P6.2 in mode %s, a guest that reads and writes while a directory is swapped for a link never leaves the workspace",
  (mode) => raceGuest(2000, mode),
);

test("control: whoever checks the path first and opens it then reads outside", async () => {
  let escapes = 0;
  for (let tries = 0; escapes === 0 && tries < 20; tries++) escapes = await raceCheckThenOpen(20_000);
  expect(escapes).toBeGreaterThan(0);
});

test("a guest that floods hotcell with host calls and output is ended; the calls beside it are not harmed", async () => {
  const flood = await makeToolFolder(
    {
      js: `export default (_, host) => { for (;;) host.call("log", { message: "x".repeat(1000000) }) }`,
    },
    { name: "flood", limits: { timeout: 3, fuel: Number.MAX_SAFE_INTEGER } },
  );
  const good = await makeToolFolder({ js: "export default ({ n }) => ({ n })" });
  const tools = [wasmTool({ path: flood }), wasmTool({ path: good })];
  const { cell } = await openTempCell({ tools, guestProcesses: 2 });
  let isOver = false;
  const flooding = cell.call({ name: "flood", arguments: {} }).finally(() => {
    isOver = true;
  });
  let beside = 0;
  for (let n = 0; !isOver; n++) {
    expect((await cell.call({ name: "tested", arguments: { n } })).output).toEqual({ n });
    beside++;
  }
  const { error, meta } = await flooding;
  expect([error?.code, meta.wasm?.diagnostics?.length]).toEqual(["TIMEOUT", expect.any(Number)]);
  expect(meta.wasm!.diagnostics!.length).toBeLessThan(5000);
  expect(beside).toBeGreaterThan(3);
});

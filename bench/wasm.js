// Wasm tools: a warm call beside an instance in this process and beside Extism, the price of the meter, files, a cold call.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { openCell, wasmTool } from "../dist/index.js";
import { runModule } from "../dist/runners/wasm/guest/run-guest.js";
import { openGuestProcesses } from "../dist/runners/wasm/pool/open-processes.js";
import { createPreview1 } from "../dist/runners/wasm/wasi/preview1.js";
import { machineSurroundings } from "../dist/runners/wasm/wasi/surroundings.js";
import { meterModule } from "../dist/wasm/meter.js";
import { installOnce } from "./install-once.js";
import { compareWithAim, formatAim, formatRatio, formatTable, formatTime, takeTurns } from "./measure.js";

const PAGES = { maxMemoryPages: 2048 };
const FUEL = 10n ** 15n;
const WARM = { warmUpRounds: 3, rounds: 9, count: 300, maxMs: 60_000 };
const METERED = { warmUpRounds: 2, rounds: 9, count: 1, maxMs: 40_000 };
const CYCLE = { warmUpRounds: 1, rounds: 5, count: 1, maxMs: 30_000 };
const COLD = { warmUpRounds: 1, rounds: 7, count: 1, maxMs: 30_000 };
const CYCLES = 500;
const CLANG = ["--target=wasm32-wasi", "-O2"];
const SCRIPT = "let n = 0; for (let i = 0; i < 1500000; i++) n = (n + i * 7) % 1000003; String(n)";

export async function measure() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-bench-"));
  try {
    const [warm, metered] = [await measureWarm(top), await measureMeter(top)];
    const [cycle, cold] = [await measureCycle(top), await measureCold(top)];
    const aims = [
      compareWithAim("a warm call, runner alone ÷ in process", warm.runner.wallUs / warm.inProcess.wallUs, 4),
      ...Object.entries(metered).map(([name, { plain, metered: own }]) =>
        compareWithAim(`metered ÷ not metered, ${name}`, own.cpuUs / plain.cpuUs, 1.25),
      ),
    ];
    return { warm, metered, cycle, cold, aims };
  } finally {
    fs.rmSync(top, { recursive: true });
  }
}

/** The smallest command: it writes `{}`. */
async function measureWarm(top) {
  const code = compile(top, "hello", 'int puts(const char *); int main(void) { puts("{}"); }');
  const tool = wasmTool({ path: makeTool(top, "hello", code) });
  const cell = await openCell({ ...cellOptions(top), tools: [tool] });
  const processes = openGuestProcesses(1, 128);
  const guest = await processes.pool.take("hello", new AbortController().signal);
  const metered = meterModule(code, PAGES);
  const module = new WebAssembly.Module(metered.bytes);
  const message = { script: null, args: ["hello"], env: {}, mounts: [], fuel: 1e9, seed: null };
  const limits = { maxOutputBytes: 1000, maxDiagnosticBytes: 1000 };
  const job = {
    moduleKey: "hello",
    module: metered,
    message: { ...message, ...limits },
    input: Buffer.from("{}"),
    answer() {},
    onOutput() {},
  };
  const extism = await openExtism();
  const repeat = (work) => async (count) => {
    for (let left = count; left > 0; left--) await work();
  };
  try {
    return await takeTurns(
      [
        { name: "inProcess", work: repeat(() => runHere(module, metered.names)) },
        { name: "runner", work: repeat(() => guest.run(job)) },
        { name: "call", work: repeat(() => cell.call({ name: "hello", arguments: {} })) },
        { name: "extismFresh", work: repeat(extism.fresh) },
        { name: "extismKept", work: repeat(extism.kept) },
      ].map((side) => ({ ...side, pid: process.pid })),
      WARM,
    );
  } finally {
    await extism.close();
    processes.pool.give(guest);
    await processes.close();
    await cell.close();
  }
}

/** In this process, with its own copy of WASI: it has no sandbox, no fuel and no time limit. */
async function openExtism() {
  const { dir } = installOnce("extism", ["@extism/extism@1.0.3"]);
  const file = path.join(dir, "node_modules/@extism/extism/dist/esm/mod.js");
  const { createPlugin } = await import(pathToFileURL(file).href);
  const { default: openWabt } = await import("wabt");
  const text = '(module (memory (export "memory") 1) (func (export "run") (result i32) (i32.const 0)))';
  const { buffer: bytes } = (await openWabt()).parseWat("extism.wat", text).toBinary({});
  const module = new WebAssembly.Module(bytes);
  const options = { useWasi: false, runInWorker: false };
  const kept = await createPlugin(module, options);
  return {
    kept: () => kept.call("run", "{}"),
    async fresh() {
      const plugin = await createPlugin(module, options);
      await plugin.call("run", "{}");
      await plugin.close();
    },
    close: () => kept.close(),
  };
}

async function measureMeter(top) {
  const quickjs = fs.readFileSync(new URL("../node_modules/quickjs-wasi/quickjs.wasm", import.meta.url));
  const read = (name) => fs.readFileSync(new URL(`./wasm-${name}.c`, import.meta.url), "utf8");
  const subjects = [
    ["sha256", compile(top, "sha256", read("sha256")), runHere],
    ["qsort", compile(top, "qsort", read("qsort")), runHere],
    ["QuickJS", quickjs, runQuickJs],
  ];
  const figures = {};
  for (const [name, code, run] of subjects) {
    const { bytes, names } = meterModule(code, PAGES);
    const [plain, metered] = [new WebAssembly.Module(code), new WebAssembly.Module(bytes)];
    figures[name] = await takeTurns(
      [
        { name: "plain", work: () => run(plain, null), pid: process.pid },
        { name: "metered", work: () => run(metered, names), pid: process.pid },
      ],
      METERED,
    );
  }
  return figures;
}

function runHere(module, names) {
  const preview1 = createWasi();
  if (names !== null) {
    const end = runModule({ module, names, fuel: FUEL, preview1, hostCall: () => new Uint8Array() });
    if (end.status !== "exit" || end.exitCode !== 0) throw new Error(`The module failed: ${end.message}`);
    return;
  }
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: preview1.imports });
  preview1.attach(exports.memory);
  try {
    exports._start();
  } catch (error) {
    if (error.code !== 0) throw error;
  }
}

function createWasi() {
  const nothing = () => {};
  const streams = { stdin: () => 0, stdout: nothing, stderr: nothing };
  return createPreview1({
    args: ["m"],
    env: {},
    mounts: [],
    ...streams,
    surroundings: machineSurroundings(),
  });
}

function runQuickJs(module, names) {
  const preview1 = createWasi();
  const zero = () => 0;
  const env = {
    host_call: zero,
    host_interrupt: zero,
    host_promise_rejection() {},
    host_module_normalize: zero,
    host_module_load: zero,
    host_get_timezone_offset: zero,
  };
  const { exports: js } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: preview1.imports, env });
  preview1.attach(js.memory);
  if (names !== null) js[names.fuel].value = FUEL;
  js._initialize();
  if (js.qjs_init() !== 0) throw new Error("QuickJS did not start");
  const put = (text) => {
    const bytes = Buffer.from(`${text}\0`);
    const at = js.wasm_malloc(bytes.length);
    new Uint8Array(js.memory.buffer).set(bytes, at);
    return at;
  };
  const value = js.qjs_eval(put(SCRIPT), Buffer.byteLength(SCRIPT), put("bench.js"), 0);
  if (js.qjs_is_exception(value) !== 0) throw new Error("The script failed");
}

/** 500 times: make, write 4 KiB, read, remove. */
async function measureCycle(top) {
  const source = fs.readFileSync(new URL("./wasm-cycle.c", import.meta.url), "utf8");
  const dir = makeTool(top, "cycle", compile(top, "cycle", source), { filesystem: "write" });
  const tools = [wasmTool({ path: dir, grant: { filesystem: "write" } })];
  const cell = await openCell({ ...cellOptions(top, "cycle"), tools });
  const file = path.join(top, "plain.bin");
  const block = Buffer.alloc(4096);
  try {
    return await takeTurns(
      [
        {
          name: "fs",
          pid: process.pid,
          work() {
            for (let left = CYCLES; left > 0; left--) {
              fs.writeFileSync(file, block);
              fs.readFileSync(file);
              fs.unlinkSync(file);
            }
          },
        },
        {
          name: "guest",
          pid: process.pid,
          async work() {
            const { error } = await cell.call({ name: "cycle", arguments: {} });
            if (error !== null) throw new Error(error.message);
          },
        },
      ],
      CYCLE,
    );
  } finally {
    await cell.close();
  }
}

async function measureCold(top) {
  const tool = wasmTool({ path: path.join(top, "hello") });
  return takeTurns(
    [
      { name: "node", work: () => void execFileSync(process.execPath, ["-e", "0"]) },
      {
        name: "cold",
        async work() {
          const cell = await openCell({ ...cellOptions(top, "cold"), tools: [tool] });
          const { error } = await cell.call({ name: "hello", arguments: {} });
          await cell.close();
          if (error !== null) throw new Error(error.message);
        },
      },
    ],
    COLD,
  );
}

function compile(top, name, source) {
  const [file, out] = [path.join(top, `${name}.c`), path.join(top, `${name}.wasm`)];
  fs.writeFileSync(file, source);
  execFileSync("clang", [...CLANG, "-o", out, file], { stdio: ["ignore", "inherit", "inherit"] });
  return fs.readFileSync(out);
}

function makeTool(top, name, code, capabilities = {}) {
  const dir = path.join(top, name);
  fs.mkdirSync(dir);
  const sha256 = createHash("sha256").update(code).digest("hex");
  const about = { name, version: "1.0.0", description: "A benchmark.", entry: "tool.wasm", sha256 };
  const manifest = { ...about, inputSchema: { type: "object" }, capabilities };
  fs.writeFileSync(path.join(dir, "manifest.json"), JSON.stringify(manifest));
  fs.writeFileSync(path.join(dir, "tool.wasm"), code);
  return dir;
}

function cellOptions(top, name = "warm") {
  const workspace = path.join(top, `project-${name}`);
  fs.mkdirSync(workspace, { recursive: true });
  return { workspace, stateDir: path.join(top, `state-${name}`), fs: "host", trust: "autonomous" };
}

export function format({ warm, metered, cycle, cold, aims }) {
  const row = (name, { wallUs, cpuUs }, base) => [
    name,
    formatTime(wallUs),
    formatRatio(wallUs / base.wallUs),
    formatTime(cpuUs),
    formatRatio(cpuUs / base.cpuUs),
  ];
  const table = [
    ["one call of the smallest module", "time", "÷ in process", "CPU", "÷ in process"],
    row("in this process: instantiate and run", warm.inProcess, warm.inProcess),
    row("runner alone: pooled process in the sandbox", warm.runner, warm.inProcess),
    row("whole call: cell.call, rules, log", warm.call, warm.inProcess),
    row("Extism, a new plugin for each call", warm.extismFresh, warm.inProcess),
    row("Extism, one plugin for all calls", warm.extismKept, warm.inProcess),
  ];
  const meter = [
    ["meter, CPU", "not metered", "metered", "ratio"],
    ...Object.entries(metered).map(([name, { plain, metered: own }]) => [
      name,
      formatTime(plain.cpuUs),
      formatTime(own.cpuUs),
      formatRatio(own.cpuUs / plain.cpuUs),
    ]),
  ];
  const perCycle = ({ wallUs, cpuUs }) =>
    `${formatTime(wallUs / CYCLES)} (CPU ${formatTime(cpuUs / CYCLES)})`;
  return `${[
    formatTable(table),
    formatTable(meter),
    `one cycle of a file (make, write 4 KiB, read, remove): node:fs ${perCycle(cycle.fs)}, guest ${perCycle(cycle.guest)}: ${formatRatio(cycle.guest.wallUs / cycle.fs.wallUs)} (CPU ${formatRatio(cycle.guest.cpuUs / cycle.fs.cpuUs)})`,
    `cold: node -e 0 ${formatTime(cold.node.wallUs)}; openCell, first call, close ${formatTime(cold.cold.wallUs)}: ${formatRatio(cold.cold.wallUs / cold.node.wallUs)}`,
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}

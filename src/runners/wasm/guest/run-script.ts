// Runs a JavaScript tool on QuickJS, which is itself a metered module. The tool has JavaScript's own objects, `console`
// and what it is given: nothing of Node.
import { type GuestEnd, type MeteredRun, runMetered } from "./run-guest.ts";

export interface Script {
  /** A module whose default export is the tool: `(input, host) => output`. */
  readonly script: string;
  /** JSON. */
  readonly input: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: (bytes: Uint8Array) => void;
  readonly stderr: (bytes: Uint8Array) => void;
}

/** The functions of quickjs-wasi that are used here. A value is known by its number. */
interface QuickJs {
  _initialize(): void;
  qjs_init(): number;
  qjs_eval(code: number, length: number, fileName: number, flags: number): number;
  qjs_get_global(): number;
  qjs_new_host_function(name: number, length: number, args: number): number;
  qjs_set_prop_string(object: number, name: number, value: number): void;
  qjs_new_string(at: number, length: number): number;
  qjs_get_string_len(value: number, length: number): number;
  qjs_free_cstring(at: number): void;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_is_exception(value: number): number;
  qjs_get_exception(): number;
  qjs_promise_state(value: number): number;
  qjs_promise_result(value: number): number;
  wasm_malloc(length: number): number;
  wasm_free(at: number): void;
}

const AS_MODULE = 1;
const [FULFILLED, REJECTED] = [1, 2];

/** Runs before the tool's own code; `hotcell` is the function of `answer` below. */
const PRELUDE = `
const { parse, stringify } = JSON;
const { hotcell } = globalThis;
delete globalThis.hotcell;
const show = (value) => typeof value === "string" ? value : value instanceof Error ? value.name + ": " + value.message : stringify(value) ?? String(value);
const log = (...values) => hotcell("log", values.map(show).join(" "));
globalThis.console = { log, info: log, warn: log, error: log, debug: log };
const host = Object.freeze({
  env: Object.freeze(parse(hotcell("env"))),
  call(method, request = {}) {
    const { error, ...reply } = parse(hotcell("call", String(method), stringify(request)));
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return reply.result;
  },
});
globalThis["hotcell:run"] = async (tool) => {
  try {
    if (typeof tool.default !== "function") throw new TypeError("the tool has no function as its default export");
    hotcell("end", stringify(await tool.default(parse(hotcell("input")), host)) ?? "null");
  } catch (error) {
    hotcell("fail", error instanceof Error ? error.name + ": " + error.message + "\\n" + (error.stack ?? "") : String(error));
  }
};
`;
const START = 'globalThis["hotcell:run"](globalThis["hotcell:tool"])';

export function runScript(
  run: MeteredRun,
  { script, input, env: variables, stdout, stderr }: Script,
): GuestEnd {
  let js!: Values;
  let outcome: "end" | "fail" | null = null;
  const say = (text: string) => stderr(Buffer.from(`${text}\n`));
  const fail = (reason: string) => {
    outcome ??= "fail";
    say(reason);
  };
  const answers = new Map<string, (one: string, two: string) => string>([
    ["input", () => Buffer.from(input).toString()],
    ["env", () => JSON.stringify(variables)],
    ["call", (method, request) => Buffer.from(run.hostCall(method, Buffer.from(request))).toString()],
    [
      "log",
      (text) => {
        say(text);
        return "";
      },
    ],
    [
      "end",
      (text) => {
        if (outcome === null) stdout(Buffer.from(text));
        outcome ??= "end";
        return "";
      },
    ],
    [
      "fail",
      (text) => {
        fail(text);
        return "";
      },
    ],
  ]);
  const env = {
    host_call(_name: number, _length: number, _self: number, count: number, list: number): number {
      const [kind = "", one = "", two = ""] = js.arguments(count, list);
      return js.string(answers.get(kind)?.(one, two) ?? "");
    },
    host_interrupt: () => 0,
    host_promise_rejection() {},
    host_module_normalize: () => 0,
    host_module_load: () => 0,
    host_get_timezone_offset: () => 0,
  };
  const end = runMetered(run, { env }, (exports) => {
    js = new Values(exports as unknown as QuickJs, run.preview1.memory);
    js.start();
    const isLoaded = js.evaluate(PRELUDE, "hotcell", 0, fail) !== null;
    const tool = isLoaded ? js.evaluateModule(script, fail) : null;
    if (tool === null) return;
    js.setGlobal("hotcell:tool", tool);
    if (js.evaluate(START, "hotcell", 0, fail) === null) return;
    js.runJobs();
    if (outcome === null)
      fail("The tool waits for something that never comes: nothing but the host's calls can be awaited.");
  });
  return end.status === "exit" && outcome !== "end" ? { ...end, exitCode: 1 } : end;
}

/** Values of the script, by their numbers. They are never freed: the instance ends with the call. */
class Values {
  private readonly js: QuickJs;
  private readonly memory: MeteredRun["preview1"]["memory"];

  constructor(js: QuickJs, memory: MeteredRun["preview1"]["memory"]) {
    this.js = js;
    this.memory = memory;
  }

  start(): void {
    const { js } = this;
    js._initialize();
    if (js.qjs_init() !== 0) throw new RangeError("QuickJS could not start: it has too little memory");
    const [name, length] = this.put("hotcell");
    this.setGlobal("hotcell", js.qjs_new_host_function(name, length, 0));
  }

  setGlobal(name: string, value: number): void {
    this.js.qjs_set_prop_string(this.js.qjs_get_global(), this.put(name)[0], value);
  }

  /** Null if it threw. */
  evaluate(code: string, fileName: string, flags: number, fail: (reason: string) => void): number | null {
    const { js } = this;
    const [at, length] = this.put(code);
    const value = js.qjs_eval(at, length, this.put(fileName)[0], flags);
    if (js.qjs_is_exception(value) === 0) return value;
    fail(this.text(js.qjs_get_exception()));
    return null;
  }

  /** The namespace of a module; null if it threw. */
  evaluateModule(code: string, fail: (reason: string) => void): number | null {
    const { js } = this;
    const loading = this.evaluate(code, "tool.js", AS_MODULE, fail);
    if (loading === null) return null;
    this.runJobs();
    const state = js.qjs_promise_state(loading);
    if (state === FULFILLED) return js.qjs_promise_result(loading);
    fail(
      state === REJECTED
        ? this.text(js.qjs_promise_result(loading))
        : "The tool's code does not finish loading.",
    );
    return null;
  }

  runJobs(): void {
    while (this.js.qjs_is_job_pending() !== 0 && this.js.qjs_execute_pending_job() >= 0);
  }

  arguments(count: number, list: number): string[] {
    return Array.from({ length: count }, (_, index) => this.text(this.memory.u32(list + index * 4)));
  }

  string(text: string): number {
    const [at, length] = this.put(text);
    const value = this.js.qjs_new_string(at, length);
    this.js.wasm_free(at);
    return value;
  }

  private text(value: number): string {
    const length = this.js.wasm_malloc(4);
    const at = this.js.qjs_get_string_len(value, length);
    const text = at === 0 ? "" : Buffer.from(this.memory.range(at, this.memory.u32(length))).toString();
    this.js.qjs_free_cstring(at);
    this.js.wasm_free(length);
    return text;
  }

  /** A copy in the script's memory, with a NUL behind it. */
  private put(text: string): readonly [number, number] {
    const bytes = Buffer.from(`${text}\0`);
    const at = this.js.wasm_malloc(bytes.length);
    if (at === 0) throw new RangeError("the memory is full");
    this.memory.range(at, bytes.length).set(bytes);
    return [at, bytes.length - 1];
  }
}

// run_js: JavaScript that a model wrote, under the limits of wasm tools, with no capability unless it is granted.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import { runJsTool } from "../../../src/tools/wasm/run-js.ts";
import { openCliWorld } from "../../kit/worlds/cli-world.ts";
import { createStubModel } from "../../kit/worlds/stub-model.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

const IN_SET = { toolsets: ["js"] } as const;

async function run(code: string, options: Partial<CellOptions> = IN_SET, input?: object) {
  const { cell } = await openTempCell(options, { "a.txt": "hello" });
  return cell.call({ name: "run_js", arguments: { code, ...(input && { input }) } as never });
}

describe("the toolset js", () => {
  test.each([
    ["a number", "return 6 * 7", { result: 42 }],
    ["text, with await", "return await Promise.resolve('a').then((a) => a + 'b')", { result: "ab" }],
    ["its input", "return input.list.toSorted()", { result: [1, 2, 3] }],
    ["what it logs", "console.log('seen', { a: 1 }); return null", { result: null, logs: 'seen {"a":1}\n' }],
    [
      "nothing, which is told",
      "1 + 1",
      { result: null, note: "The code returned nothing. Return the result." },
    ],
    ["a value after a comment", "return 1 // one", { result: 1 }],
  ])("run_js gives %s", async (_name, code, expected) => {
    const { output, error, meta } = await run(code, IN_SET, { list: [3, 1, 2] });
    expect([output, error, meta.isolation]).toEqual([expected, null, "full"]);
    expect(meta.wasm).toMatchObject({ denied: [], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test.each([
    ["EXECUTION_ERROR", "an exception", "nosuch()", "nosuch is not defined"],
    ["EXECUTION_ERROR", "wrong syntax", "return (", "SyntaxError"],
    ["EXECUTION_ERROR", "a module", "import fs from 'fs'", "SyntaxError"],
    ["EXECUTION_ERROR", "a promise that never ends", "await new Promise(() => {})", "never comes"],
    ["EXECUTION_ERROR", "a value that is no JSON", "return 1n", "BigInt"],
    ["FUEL_EXHAUSTED", "an endless loop", "for (;;);", "units of fuel"],
    ["INVALID_ARGUMENTS", "no code", "", "code"],
  ])("%s: %s", async (code, _name, script, message) => {
    const options = { tools: [runJsTool({ limits: { fuel: 100_000_000 } })], toolsets: [] };
    const { error } = await run(script, options);
    expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(message)]);
  });

  test("the reason of a failure is shown, however much was logged before", async () => {
    const { error } = await run("for (let n = 0; n < 2000; n++) console.log('line', n); nosuch()");
    expect(error?.message).toContain("nosuch is not defined");
  });

  test("has no capability: files, model and network are denied, and there is nothing of Node", async () => {
    const { output, meta } = await run(`
      const tried = (method, request) => { try { return host.call(method, request) } catch (e) { return e.code } };
      return [tried("workspace.read", { path: "a.txt" }), tried("model.chat", { messages: [{ role: "user", content: "x" }] }),
        tried("http.fetch", { url: "http://127.0.0.1/" }), typeof process, typeof require, typeof fetch, Object.keys(host.env)]`);
    const denied = "CAPABILITY_DENIED";
    expect(output?.result).toEqual([denied, denied, denied, "undefined", "undefined", "undefined", []]);
    expect(meta.wasm?.denied).toEqual(["filesystem", "model_access", "network"]);
  });

  test("is not asked for at guided, and a rule can deny it", async () => {
    expect((await run("return 1", { ...IN_SET, trust: "guided" })).error).toBeNull();
    expect((await run("return 1", { ...IN_SET, rules: ["deny run_js"] })).error?.code).toBe("DENIED");
  });

  test.each([
    ["a text", "return 'é'.repeat(100_000)"],
    ["a list", "return Array.from({ length: 50_000 }, (_, n) => n)"],
    ["logs", "for (let n = 0; n < 5000; n++) console.log('line', n)"],
  ])(
    "shows no more than an observation may have, and an artifact keeps the whole: %s",
    async (_name, code) => {
      const options = { ...IN_SET, limits: { observationBytes: 4096 } };
      const { output, meta } = await run(code, options);
      expect(output).toMatchObject({ truncated: true });
      expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(4096);
      expect(meta.artifact).toMatch(/^[0-9a-f]{64}$/);
      expect((await run("return 'x'.repeat(4000)", options)).output).toEqual({ result: "x".repeat(4000) });
    },
  );

  test("a model reads the result as text, with what was logged before it", async () => {
    const { toToolMessage } = await import("../../../src/index.ts");
    const text = async (code: string) => toToolMessage(await run(code), "openai").content;
    expect(await text("return 'a\\nb'")).toBe("a\nb");
    expect(await text("console.log(1); return { a: [2] }")).toBe('1\n{"a":[2]}');
    expect(await text("1")).toBe("null\n[The code returned nothing. Return the result.]");
  });
});

describe("runJsTool", () => {
  test("grants files, which change in the session; its description names the calls", async () => {
    const tool = runJsTool({ grant: { filesystem: "write" } });
    const { cell, root } = await openTempCell(
      { tools: [tool], fs: "overlay", trust: "autonomous" },
      { "a.txt": "hello" },
    );
    expect(tool.description).toContain("workspace.write {path, content}");
    const code = `const { content } = host.call("workspace.read", { path: "a.txt" });
      return host.call("workspace.write", { path: "a.txt", content: content.toUpperCase() }).bytes`;
    const { output, meta } = await cell.call({ name: "run_js", arguments: { code } });
    expect([output, meta.changes]).toEqual([{ result: 5 }, { count: 1, paths: ["a.txt"] }]);
    expect(fs.readFileSync(path.join(root, "a.txt"), "utf8")).toBe("hello");
  });

  test("grants the model, and then guided asks", async () => {
    const options = { tools: [runJsTool({ grant: { model_access: true } })], toolsets: [] };
    const model = createStubModel({ text: "Yes." });
    const code = `return host.call("model.chat", { messages: [{ role: "user", content: "?" }] }).content`;
    expect((await run(code, { ...options, model, trust: "guided" })).error?.code).toBe("DENIED");
    expect((await run(code, { ...options, model, rules: ["allow run_js"] })).output).toEqual({
      result: "Yes.",
    });
  });

  test("grants variables as host.env", async () => {
    const env = { GIVEN: "value", OTHER: "kept" };
    const tools = [runJsTool({ grant: { env: ["GIVEN", "NOT_SET"] }, env })];
    expect((await run("return host.env", { tools })).output).toEqual({ result: { GIVEN: "value" } });
  });

  test.each([
    [{ grant: { filesystem: "all" } }, 'filesystem is "all"'],
    [{ limits: { memory: 0 } }, "limits.memory is 0; allowed are whole numbers from 1 to 4096"],
  ])("refuses what is wrong, with key, found and allowed: %j", (options, message) => {
    expect(() => runJsTool(options as never)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) }),
    );
  });
});

describe("on the command line", () => {
  const call = (...flags: string[]) => [
    "call",
    "run_js",
    JSON.stringify({ code: 'return host.call("workspace.read", { path: "a.txt" }).content' }),
    "--json",
    ...flags,
  ];

  test('{ "type": "js" } in tools grants capabilities; the toolset has none', async () => {
    const { run, root } = openCliWorld({ "a.txt": "hello" });
    const config = { tools: [{ type: "js", grant: { filesystem: "read" }, limits: { timeout: 5 } }] };
    fs.writeFileSync(path.join(root, "c.json"), JSON.stringify(config));
    const granted = await run(call("--config", "c.json"));
    expect(JSON.parse(granted.out).output).toEqual({ result: "hello" });
    const inSet = await run(call("--toolset", "js"));
    expect([inSet.code, JSON.parse(inSet.out).error.code]).toEqual([1, "CAPABILITY_DENIED"]);
  });

  test("TOOL_RUNTIME=builtin leaves run_js out", async () => {
    const { run, stateDir } = openCliWorld();
    const env = { HOTCELL_STATE_DIR: stateDir, TOOL_RUNTIME: "builtin" };
    expect((await run(["tools", "--toolset", "js"])).out).toContain("run_js");
    expect((await run(["tools", "--toolset", "js"], { env })).out).not.toContain("run_js");
  });
});

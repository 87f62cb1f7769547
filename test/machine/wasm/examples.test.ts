// P4.3: the tools in tools/, as they are committed and as they are built here.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { commandContract } from "../../../src/wasm/contract.ts";
import { inspectModule } from "../../../src/wasm/inspect.ts";
import { openCliWorld } from "../../kit/worlds/cli-world.ts";
import { createStubModel } from "../../kit/worlds/stub-model.ts";
import { openTempCell, tempDir } from "../../kit/worlds/temp-cell.ts";

const TOOLS = new URL("../../../tools/", import.meta.url).pathname;
const at = (name: string) => path.join(TOOLS, name);
const names = fs.readdirSync(TOOLS).filter((name) => fs.existsSync(path.join(at(name), "manifest.json")));

const manifestOf = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(at(name), "manifest.json"), "utf8"));

test("P4.3, P4.3.a there are examples without a capability, with the model, with the workspace, and in JavaScript", () => {
  const asked = names.map((name) => [name, manifestOf(name).capabilities, manifestOf(name).entry]);
  expect(asked).toEqual([
    ["count-words", { filesystem: "read" }, "tool.js"],
    ["sort-lines", { filesystem: "write" }, "tool.wasm"],
    ["summarize", { model_access: true }, "tool.wasm"],
    ["text-stats", undefined, "tool.wasm"],
  ]);
});

test.each(names)(
  "P4.1, P4.3 %s as committed has the hash of its manifest, and passes its cases",
  async (name) => {
    expect(manifestOf(name).sha256).toMatch(/^[0-9a-f]{64}$/);
    const { code, out } = await openCliWorld().run(["tool", "test", at(name)]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^(ok {6}\S+\n)+(\d+) of \2 passed\n$/)]);
  },
);

test("every function of WASI preview1 that a module may import is taken with the type that wasi-libc gives it", () => {
  const functions = [...commandContract(1024).imports.get("wasi_snapshot_preview1")!.keys()];
  const dir = tempDir();
  const list = functions.map((name) => `(void *)__wasi_${name}`).join(", ");
  const code = `#include <wasi/api.h>\nvoid *volatile all[] = {${list}};\nint main(void) { return all[0] == 0; }\n`;
  fs.writeFileSync(path.join(dir, "all.c"), code);
  const args = ["--target=wasm32-wasi", "all.c", "-o", "all.wasm"];
  const { stderr, status } = spawnSync("clang", args, { cwd: dir, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { imports } = inspectModule(fs.readFileSync(path.join(dir, "all.wasm")), commandContract(1024));
  expect(imports.map(({ name }) => name).sort()).toEqual(functions.sort());
});

/** Of the committed modules. */
const BUILT_BY = "Debian clang version 14.0.6";
const inC = names.filter((name) => fs.existsSync(path.join(at(name), "tool.c")));
const contractOf = (folder: string) => {
  const code = fs.readFileSync(path.join(folder, "tool.wasm"));
  const { imports, exports } = inspectModule(code, commandContract(1024));
  return { imports, exports: exports.map(({ name, kind }) => ({ name, kind })) };
};

test.each(inC)(
  "P4.2.a, P4.2.d %s built anew passes the same cases, with the imports and exports of the committed module",
  async (name) => {
    const { run } = openCliWorld();
    const copy = path.join(tempDir(), name);
    fs.cpSync(at(name), copy, { recursive: true });
    fs.rmSync(path.join(copy, "tool.wasm"));
    expect((await run(["tool", "build", copy], { env: { PATH: process.env.PATH } })).err).toBe("");
    expect((await run(["tool", "test", copy])).code).toBe(0);
    expect(contractOf(copy)).toEqual(contractOf(at(name)));
    // The same compiler makes the same bytes: the committed module is that of the source.
    const { stdout } = spawnSync("clang", ["--version"], { encoding: "utf8" });
    const isSame = (file: string) =>
      fs.readFileSync(path.join(copy, file)).equals(fs.readFileSync(path.join(at(name), file)));
    if (stdout.startsWith(BUILT_BY))
      expect([isSame("tool.wasm"), isSame("manifest.json")]).toEqual([true, true]);
  },
);

const MODES = [
  ["host", { fs: "host" }],
  ["overlay", { fs: "overlay", strategy: "kernel" }],
  ["clone", { fs: "overlay", strategy: "clone" }],
  ["agentfs", { fs: "agentfs" }],
] as const;

test.each(MODES)(
  "P4.3.c, P4.4, core matrix, builtin and wasm × %s: the file changes in the project or in the session, like a built-in tool's",
  async (mode, options) => {
    const tools = [wasmTool({ path: at("sort-lines"), grant: { filesystem: "write" } })];
    const { cell, root } = await openTempCell(
      { ...options, tools, trust: "autonomous", toolsets: ["coding"] },
      { "w.txt": "b\na\n", "b.txt": "b\na\n" },
    );
    const inProject = (name: string) => fs.readFileSync(path.join(root, name), "utf8");
    const byWasm = await cell.call({ name: "sort_lines", arguments: { path: "w.txt" } });
    const byBuiltin = await cell.call({
      name: "write_file",
      arguments: { path: "b.txt", content: "a\nb\n" },
    });
    expect([byWasm.output, byWasm.meta.isolation, byBuiltin.error]).toEqual([
      { path: "w.txt", lines: 2 },
      "full",
      null,
    ]);
    const now = mode === "host" ? "a\nb\n" : "b\na\n";
    expect([inProject("w.txt"), inProject("b.txt")]).toEqual([now, now]);
    const read = await cell.call({ name: "read_file", arguments: { path: "w.txt" } });
    expect(read.output?.content).toContain("1\ta\n2\tb");
    if (mode === "host") return;
    expect((await cell.diff()).changes.map((change) => change.path)).toEqual(["b.txt", "w.txt"]);
    await cell.discard({ paths: ["b.txt"] });
    await cell.commit();
    expect([inProject("w.txt"), inProject("b.txt")]).toEqual(["a\nb\n", "b\na\n"]);
  },
);

test("P4.3.b, 001 failure mode: summarize asks the cell's model, and the provider's error reaches it with what to do", async () => {
  const tools = [wasmTool({ path: at("summarize"), grant: { model_access: true } })];
  const call = async (model: ReturnType<typeof createStubModel>) => {
    const { cell } = await openTempCell({ tools, model, trust: "autonomous" });
    return cell.call({ name: "summarize", arguments: { text: 'A "long"\nstory' } });
  };
  const model = createStubModel({ text: "Short." });
  expect((await call(model)).output).toEqual({ summary: "Short." });
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: 'A "long"\nstory' }]);
  const { error } = await call(createStubModel({ error: "MODEL_AUTH" }));
  expect([error?.code, error?.message]).toEqual([
    "EXECUTION_ERROR",
    expect.stringMatching(/It said:\nmodel\.chat: \S+/),
  ]);
});

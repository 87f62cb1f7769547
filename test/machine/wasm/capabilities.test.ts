// P3.4, P3.5: a wasm tool has what its manifest asks for and its operator grants; everything else fails inside the guest.

import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import type { Capabilities } from "../../../src/tools/wasm/grant.ts";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { createStubModel } from "../../kit/worlds/stub-model.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { command, makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

const ASKS_ALL = {
  model_access: true,
  network: ["127.0.0.1"],
  filesystem: "write",
  env: ["GIVEN", "OTHER"],
} as const;
/** Makes one host call and gives what came of it. */
const CALLER = `export default ({ method, request }, host) => {
  try { return { result: host.call(method, request) } } catch ({ code, message }) { return { code, message } }
}`;

async function open(
  capabilities: Capabilities,
  grant: Capabilities,
  options: Partial<CellOptions> = {},
  files = {},
) {
  const dir = await makeToolFolder({ js: CALLER }, { capabilities });
  const tool = wasmTool({ path: dir, grant });
  const world = await openTempCell(
    { tools: [tool], trust: "autonomous", ...options },
    { "a.txt": "hello", ...files },
  );
  const call = (method: string, request: object = {}) =>
    world.cell.call({ name: "tested", arguments: { method, request } });
  return { ...world, tool, call };
}

const MODES = [
  ["host", { fs: "host" }],
  ["overlay", { fs: "overlay", strategy: "kernel" }],
  ["clone", { fs: "overlay", strategy: "clone" }],
] as const;

test.each(MODES)(
  "P3.5, core matrix, wasm × %s: a granted tool reads, lists and writes the workspace",
  async (mode, options) => {
    const { call, root, cell } = await open(ASKS_ALL, { filesystem: "write" }, options);
    expect((await call("workspace.read", { path: "a.txt" })).output).toEqual({
      result: { content: "hello", bytes: 5 },
    });
    const written = await call("workspace.write", { path: "d/b.txt", content: "new" });
    expect(written.output).toMatchObject({ result: { path: "d/b.txt", bytes: 3, created: true } });
    const listed = await call("workspace.list");
    expect(listed.output).toMatchObject({
      result: { entries: [{ name: "a.txt" }, { name: "d" }], total: 2 },
    });
    expect(written.meta.changes).toEqual(mode === "host" ? null : { count: 1, paths: ["d/b.txt"] });
    expect(fs.existsSync(path.join(root, "d/b.txt"))).toBe(mode === "host");
    if (mode === "host") return;
    await cell.commit();
    expect(fs.readFileSync(path.join(root, "d/b.txt"), "utf8")).toBe("new");
  },
);

test.each(MODES)(
  "P3.5, 001 failure mode, core matrix, wasm × %s: without the grant the same calls are denied, and nothing changes",
  async (_mode, options) => {
    const { call, root } = await open(ASKS_ALL, {}, options);
    for (const [method, request] of [
      ["workspace.read", { path: "a.txt" }],
      ["workspace.write", { path: "b.txt", content: "x" }],
      ["workspace.list", {}],
    ] as const) {
      const { output, meta } = await call(method, request);
      expect(output).toMatchObject({ code: "CAPABILITY_DENIED" });
      expect(meta.wasm?.denied).toEqual(["filesystem"]);
    }
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
  },
);

test("a grant without the manifest's asking gives nothing", async () => {
  const { call } = await open({}, ASKS_ALL);
  expect((await call("workspace.read", { path: "a.txt" })).output).toMatchObject({
    code: "CAPABILITY_DENIED",
  });
});

test("with read access a write is denied and named", async () => {
  const { call } = await open(ASKS_ALL, { filesystem: "read" });
  const { output, meta } = await call("workspace.write", { path: "b", content: "" });
  expect([output?.code, meta.wasm?.denied]).toEqual(["CAPABILITY_DENIED", ["filesystem=write"]]);
});

test("P6.2, 001 failure mode: the path gate and protected paths hold for host calls as for built-in tools", async () => {
  const { call } = await open(ASKS_ALL, { filesystem: "write" }, {}, { ".env": "KEY=1" });
  const codes = [];
  for (const at of ["../outside", "/etc/passwd", ".env", ".git/hooks/pre-commit"])
    codes.push((await call("workspace.write", { path: at, content: "x" })).output?.code);
  expect(codes).toEqual([
    "PATH_OUTSIDE_WORKSPACE",
    "PATH_OUTSIDE_WORKSPACE",
    "PROTECTED_PATH",
    "PROTECTED_PATH",
  ]);
  expect((await call("workspace.read", { path: ".env" })).output?.code).toBe("PROTECTED_PATH");
});

test("P2.3, P6.3 the model gateway works end to end with model_access, and is denied without (wasm-106)", async () => {
  const model = createStubModel({ text: "forty-two" });
  const request = { messages: [{ role: "user", content: "What?" }] };
  const granted = await open(ASKS_ALL, { model_access: true }, { model });
  expect((await granted.call("model.chat", request)).output).toMatchObject({
    result: { content: "forty-two" },
  });
  const denied = await open(ASKS_ALL, {}, { model });
  const { output, meta } = await denied.call("model.chat", request);
  expect([output?.code, meta.wasm?.denied]).toEqual(["CAPABILITY_DENIED", ["model_access"]]);
});

test.each([
  ["another provider (wasm-108)", { messages: [{ role: "user", content: "x" }], baseUrl: "http://evil" }],
  ["a header (wasm-110)", { messages: [{ role: "user", content: "x" }], headers: { authorization: "x" } }],
  ["no message", {}],
])("a model request with %s is refused", async (_name, request) => {
  const { call } = await open(
    ASKS_ALL,
    { model_access: true },
    { model: createStubModel({ text: "never" }) },
  );
  expect((await call("model.chat", request)).output?.code).toBe("INVALID_ARGUMENTS");
});

async function serve(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("P3.4 http.fetch reaches a granted host only, and a redirect to another one is denied", async () => {
  const other = await serve((_, response) => void response.end("other"));
  const host = await serve((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: `http://${other}/` });
    response.end("hi");
  });
  const asks = { network: [host, other] };
  const { call } = await open(asks, { network: [host] }, { allowedPrivateHosts: [host, other] });
  expect((await call("http.fetch", { url: `http://${host}/` })).output).toMatchObject({
    result: { status: 200, body: "hi" },
  });
  for (const url of [`http://${other}/`, `http://${host}/away`]) {
    const { output, meta } = await call("http.fetch", { url });
    expect([output?.code, meta.wasm?.denied]).toEqual(["CAPABILITY_DENIED", [`network=${other}`]]);
  }
});

describe("if the project changes during a call", () => {
  const js = `export default ({ method, request }, host) => {
    host.call(method, request);
    return host.call("workspace.read", { path: "d/a" });
  }`;

  /** How often the guest made its host call, the first time of which the project changed. */
  async function countRuns(capabilities: Capabilities, method: string, request: (host: string) => object) {
    let runs = 0;
    const run = () => {
      if (++runs === 1) fs.writeFileSync(path.join(world.root, "d", "b"), "");
    };
    const host = await serve((_, response) => {
      run();
      response.end("hi");
    });
    const stub = createStubModel({ text: "hi" });
    const model: typeof stub = {
      ...stub,
      sendMessage(...given) {
        run();
        return stub.sendMessage(...given);
      },
    };
    const has = {
      filesystem: "read",
      ...capabilities,
      ...(capabilities.network && { network: [host] }),
    } as const;
    const tool = wasmTool({ path: await makeToolFolder({ js }, { capabilities: has }), grant: has });
    const world = await openTempCell(
      { tools: [tool], fs: "overlay", trust: "autonomous", allowedPrivateHosts: [host], model },
      { "d/a": "1" },
    );
    const { output } = await world.cell.call(
      { name: "tested", arguments: { method, request: request(host) } },
      { onEvent: ({ kind }) => kind === "output" && run() },
    );
    expect(output).toEqual({ content: "1", bytes: 1 });
    return runs;
  }

  test("a tool that only reads is run again", async () =>
    expect(await countRuns({}, "log", () => ({ message: "seen" }))).toBe(2));

  test("one that reached the network is not: exactly 1 request is sent", async () =>
    expect(await countRuns({ network: [] }, "http.fetch", (host) => ({ url: `http://${host}/` }))).toBe(1));

  test("one that reached the model is not: exactly 1 request is sent", async () => {
    const request = { messages: [{ role: "user", content: "?" }] };
    expect(await countRuns({ model_access: true }, "model.chat", () => request)).toBe(1);
  });
});

test("a granted host with a private address is still refused by the guarded client", async () => {
  const host = await serve((_, response) => void response.end("hi"));
  const { call } = await open({ network: [host] }, { network: [host] });
  expect((await call("http.fetch", { url: `http://${host}/` })).output?.code).toBe("NETWORK_DENIED");
});

test("a rule that denies a host overrides the grant", async () => {
  const host = "example.com:443";
  const { call } = await open({ network: [host] }, { network: [host] }, { rules: [`deny network(${host})`] });
  const { output } = await call("http.fetch", { url: "https://example.com/" });
  expect([output?.code, output?.message]).toEqual([
    "NETWORK_DENIED",
    expect.stringContaining("deny network"),
  ]);
});

test("P3.4 network: true is refused while TOOL_ALLOW_DIRECT_NETWORK is off (wasm-126)", async () => {
  await expect(open({ network: true }, { network: true })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await open({ network: true }, { network: true }, { toolAllowDirectNetwork: true });
});

test("P3.4 with network: true a guest fetches from every host, and the guarded client still refuses private addresses", async () => {
  const other = await serve((_, response) => void response.end("other"));
  const host = await serve((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: `http://${other}/` });
    response.end("hi");
  });
  const direct = { toolAllowDirectNetwork: true, allowedPrivateHosts: [host, other] };
  const { call } = await open({ network: true }, { network: true }, direct);
  for (const [path, body] of [
    ["", "hi"],
    ["away", "other"],
  ]) {
    const { output, meta } = await call("http.fetch", { url: `http://${host}/${path}` });
    expect([output, meta.wasm?.denied]).toMatchObject([{ result: { status: 200, body } }, []]);
  }
  const narrow = await open({ network: true }, { network: true }, { ...direct, allowedPrivateHosts: [host] });
  const codes = [];
  for (const url of [`http://${other}/`, `http://${host}/away`, "http://169.254.169.254/"])
    codes.push((await narrow.call("http.fetch", { url })).output?.code);
  expect(codes).toEqual(["NETWORK_DENIED", "NETWORK_DENIED", "NETWORK_DENIED"]);
});

/** Says its environment and arguments as they are, as the text of a JSON string. */
const SURROUNDINGS = command(`
  (drop (call $environ (i32.const 4096) (i32.const 1025))) (drop (call $args (i32.const 4096) (i32.const 2000)))
  (i32.store8 (i32.const 1024) (i32.const 34)) (call $say (i32.const 1024) (i32.const 1024)) (call $exit (i32.const 3))`).replace(
  "(memory",
  `(import "wasi_snapshot_preview1" "environ_get" (func $environ (param i32 i32) (result i32)))
   (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32))) (memory`,
);

test("P6.2 a guest has the granted variables and its name only (wasm-080, wasm-081, wasm-113)", async () => {
  // Standard error instead of output: what a guest says there is in the error.
  const wat = SURROUNDINGS.replace("(call $write (i32.const 1)", "(call $write (i32.const 2)");
  const dir = await makeToolFolder({ wat }, { capabilities: { env: ["GIVEN", "OTHER"] } });
  const env = { GIVEN: "given-value", OTHER: "other-value", OPENAI_API_KEY: "key-value" };
  const { cell } = await openTempCell({
    tools: [wasmTool({ path: dir, grant: { env: ["GIVEN", "OPENAI_API_KEY"] }, env })],
  });
  const { meta } = await cell.call({ name: "tested", arguments: {} });
  const said = meta.wasm!.diagnostics!.replaceAll(/[^ -~]+/g, " ").trim();
  expect(said).toBe('"GIVEN=given-value tested');
});

test("a tool that reaches the model or the network is asked for at guided; one that only computes is not", async () => {
  const asked = async (grant: Capabilities) => {
    const { call } = await open(ASKS_ALL, grant, { trust: "guided", fs: "overlay" });
    return (await call("log", { message: "x" })).error?.code ?? null;
  };
  expect(await asked({})).toBeNull();
  expect(await asked({ filesystem: "write" })).toBeNull();
  expect(await asked({ model_access: true })).toBe("DENIED");
  expect(await asked({ network: ["127.0.0.1"] })).toBe("DENIED");
});

test("log lines are kept as diagnostics", async () => {
  const { call } = await open({}, {});
  const { output, meta } = await call("log", { message: "seen" });
  expect([output, meta.wasm?.diagnostics, meta.wasm?.hostCalls]).toEqual([{ result: {} }, "seen\n", 1]);
});

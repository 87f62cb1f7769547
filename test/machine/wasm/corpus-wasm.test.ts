// The rows of test/corpus/wasm.jsonl that have the source of a guest, and the rows about the protocol.
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelProvider } from "../../../src/models/model.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { createStubModel, type StubModel } from "../../kit/worlds/stub-model.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { command, makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly name: string;
  readonly expected: "allow" | "deny" | "either";
  readonly wat?: string;
  readonly fixture?: readonly { readonly symlink: string; readonly target: string }[];
}

const ROWS = fs
  .readFileSync(new URL("../../corpus/wasm.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const withSource = (cat: string) => ROWS.filter((row) => row.cat === cat && row.wat !== undefined);

/** Every file is one JSON object, so that a guest that gets out of the workspace is a success. */
const CANARY = '{"secret":"CANARY"}';

async function runRow({ wat, fixture = [] }: Row, fsMode: "host" | "overlay") {
  const dir = await makeToolFolder(
    { wat: wat! },
    { capabilities: { filesystem: "write" }, limits: { timeout: 1, fuel: 1_000_000_000, memory: 64 } },
  );
  const tools = [wasmTool({ path: dir, grant: { filesystem: "write" } })];
  const files = { "README.md": '{"file":"readme"}', "src/index.js": '{"file":"index"}' };
  const { cell, root } = await openTempCell({ tools, trust: "autonomous", fs: fsMode }, files);
  const top = path.dirname(root);
  for (const name of ["outside", "ws-evil"]) {
    fs.mkdirSync(path.join(top, name));
    fs.writeFileSync(path.join(top, name, "secret.txt"), CANARY);
  }
  for (const { symlink, target } of fixture)
    fs.symlinkSync(target.replace("${T}", top), path.join(top, symlink));
  const before = treeOf(path.join(top, "outside"));
  const observation = await cell.call({ name: "tested", arguments: {} });
  return {
    observation,
    cell,
    root,
    isOutsideKept: () => expect(treeOf(path.join(top, "outside"))).toEqual(before),
  };
}

const treeOf = (dir: string) =>
  fs.readdirSync(dir).map((name) => [name, fs.readFileSync(path.join(dir, name), "utf8")]);

describe.each(["host", "overlay"] as const)("files with fs %s", (mode) => {
  test.each(withSource("fs"))("$id $name", async (row) => {
    const { observation, cell, root } = await runRow(row, mode);
    if (row.id === "wasm-004") {
      const made =
        mode === "host" ? fs.readdirSync(root) : (await cell.diff()).changes.map((change) => change.path);
      expect(made).toContain("out.txt");
    } else
      expect(observation).toMatchObject({
        success: true,
        output: { file: row.id === "wasm-002" || row.id === "wasm-005" ? "index" : "readme" },
      });
  });

  test.each(withSource("fs-escape"))("$id $name", async (row) => {
    const { observation, isOutsideKept } = await runRow(row, mode);
    expect(observation.success).toBe(false);
    expect(JSON.stringify(observation)).not.toContain("CANARY");
    isOutsideKept();
  });
});

test("positive control: without the gate the same paths read the canary", async () => {
  const { root } = await openTempCell();
  const outside = path.join(path.dirname(root), "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, "secret.txt"), CANARY);
  fs.symlinkSync("../outside", path.join(root, "d"));
  expect(fs.readFileSync(path.join(root, "../outside/secret.txt"), "utf8")).toBe(CANARY);
  expect(fs.readFileSync(path.join(root, "d/secret.txt"), "utf8")).toBe(CANARY);
});

test.each(withSource("resource"))("$id $name is ended, and said", async (row) => {
  const result = await runRow(row, "host").catch((error) => ({ refused: error.code }));
  if ("refused" in result) return expect(result.refused).toBe("INVALID_MODULE");
  // wasm-051 ignores that it gets no memory, and says nothing.
  const codes = ["TIMEOUT", "FUEL_EXHAUSTED", "TRAP", "MEMORY_LIMIT", "INVALID_OUTPUT"];
  expect(codes).toContain(result.observation.error?.code);
});

test.each(withSource("capability").filter(({ expected }) => expected === "deny"))(
  "$id $name stops the start",
  async (row) => {
    await expect(runRow(row, "host")).rejects.toMatchObject({ code: "INVALID_MODULE" });
  },
);

test("wasm-083 proc_exit(0) ends the guest, not hotcell", async () => {
  const row = ROWS.find(({ id }) => id === "wasm-083")!;
  expect((await runRow(row, "host")).observation.error?.code).toBe("INVALID_OUTPUT");
});

const withPages = (wat: string, count: number) =>
  wat.replace('(memory (export "memory") 1)', `(memory (export "memory") ${count})`);

test("wasm-045 a path of 1 MB is ENAMETOOLONG", async () => {
  const open = (length: number) => `(memory.fill (i32.const 65536) (i32.const 97) (i32.const ${length}))
    (call $exit (call $open (i32.const 3) (i32.const 0) (i32.const 65536) (i32.const ${length}) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 20)))`;
  const codes = [100, 1_000_000].map(async (length) => {
    const row = { id: "wasm-045", cat: "fs-escape", name: "", expected: "deny" } as const;
    const { observation } = await runRow({ ...row, wat: withPages(command(open(length)), 32) }, "host");
    return observation.error?.message;
  });
  const [ENOENT, ENAMETOOLONG] = [44, 37].map((code) => expect.stringContaining(`exit code ${code}`));
  expect(await Promise.all(codes)).toEqual([ENOENT, ENAMETOOLONG]);
});

describe("wasm-061 a guest that writes 1 byte 1e9 times", () => {
  const write = (fd: string) =>
    `(i32.store (i32.const 8) (i32.const 1024)) (i32.store (i32.const 12) (i32.const 1))
     (loop $l (drop (call $write ${fd} (i32.const 8) (i32.const 1) (i32.const 16)))
       (i32.store (i32.const 24) (i32.add (i32.load (i32.const 24)) (i32.const 1)))
       (br_if $l (i32.lt_u (i32.load (i32.const 24)) (i32.const 1000000000))))`;
  const FILE = `(drop (call $open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 20)))`;
  test.each([
    ["standard output", write("(i32.const 1)"), "OUTPUT_LIMIT", 100],
    ["standard error", write("(i32.const 2)"), "TIMEOUT", 1],
    ["a file", `${FILE} ${write("(i32.load (i32.const 20))")}`, "TIMEOUT", 1],
  ])("to %s is ended, and harms no other call", async (_where, code, expected, timeout) => {
    const write = { capabilities: { filesystem: "write" }, limits: { timeout, fuel: 1e15 } };
    const dirs = [
      await makeToolFolder({ wat: command(code, "f") }, { name: "flood", ...write }),
      await makeToolFolder({ wat: command("") }, { name: "other" }),
    ];
    const tools = dirs.map((path) => wasmTool({ path, grant: { filesystem: "write" } }));
    const { cell } = await openTempCell({ tools, trust: "autonomous", timeoutMs: 100_000 });
    const flood = cell.call({ name: "flood", arguments: {} });
    expect((await cell.call({ name: "other", arguments: {} })).output).toEqual({});
    expect((await flood).error?.code).toBe(expected);
  });
});

describe("output", () => {
  const say = async (text: string | Buffer) => {
    const bytes = Buffer.from(text);
    const hex = bytes.toString("latin1");
    const wat = command(
      `(call $say (i32.const 1024) (i32.const ${bytes.length})) (call $exit (i32.const 0))`,
      "@",
    ).replace(
      '(data (i32.const 1024) "\\40")',
      `(data (i32.const 1024) "${[...hex].map((char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}")`,
    );
    const tools = [
      wasmTool({
        path: await makeToolFolder({
          wat: withPages(wat, 64),
        }),
      }),
    ];
    const { cell } = await openTempCell({ tools });
    return cell.call({ id: "mine", name: "tested", arguments: {} });
  };

  test.each([
    ["wasm-097 two documents", '{"a":1}{"b":2}'],
    ["wasm-098 a document and text", '{"a":1} done'],
    ["wasm-100 a very deep document", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["wasm-102 a key twice", '{"a":1,"a":2}'],
    ["wasm-103 no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a number", "3"],
  ])("%s is INVALID_OUTPUT", async (_name, text) => {
    expect((await say(text)).error?.code).toBe("INVALID_OUTPUT");
  });

  test("wasm-099 more than a MiB is OUTPUT_LIMIT", async () => {
    expect((await say(`{"a":"${"x".repeat(1_500_000)}"}`)).error?.code).toBe("OUTPUT_LIMIT");
  });

  test("wasm-101 __proto__ pollutes nothing", async () => {
    const { output, error } = await say('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(error === null ? Object.getPrototypeOf(output) : Object.prototype).toBe(Object.prototype);
  });

  test("wasm-104 the host sets the id of the call; wasm-105 terminal escapes stay data", async () => {
    const { output, meta, tool } = await say('{"toolCallId":"other","text":"\\u001b[31mred"}');
    expect([meta.callId, tool, output]).toEqual([
      "mine",
      "tested",
      { toolCallId: "other", text: "\u001b[31mred" },
    ]);
  });
});

test("wasm-075 a guest that is killed while it writes leaves a whole file", async () => {
  const js = `export default (_, host) => {
    for (let n = 0; ; n++) host.call("workspace.write", { path: "out.txt", content: "ab"[n % 2].repeat(500000) });
  }`;
  const dir = await makeToolFolder(
    { js },
    { capabilities: { filesystem: "write" }, limits: { timeout: 1, fuel: Number.MAX_SAFE_INTEGER } },
  );
  const tools = [wasmTool({ path: dir, grant: { filesystem: "write" } })];
  const { cell, root } = await openTempCell({ tools, trust: "autonomous", fs: "host" });
  expect((await cell.call({ name: "tested", arguments: {} })).error?.code).toBe("TIMEOUT");
  const content = fs.readFileSync(path.join(root, "out.txt"), "utf8");
  expect([content.length, new Set(content).size]).toEqual([500_000, 1]);
});

test("wasm-122 what was loaded runs, also after manifest and code were swapped", async () => {
  const dir = await makeToolFolder({ js: "export default () => ({ code: 'checked' })" });
  const tools = [wasmTool({ path: dir })];
  const { cell } = await openTempCell({ tools });
  fs.writeFileSync(path.join(dir, "tool.js"), "export default () => ({ code: 'swapped' })");
  fs.writeFileSync(path.join(dir, "manifest.json"), "{}");
  expect((await cell.call({ name: "tested", arguments: {} })).output).toEqual({ code: "checked" });
});

test("every row has its test: by its source above, or by its id in the title of a test", () => {
  const top = new URL("../../../", import.meta.url).pathname;
  const names = ["src", "test"].flatMap((dir) =>
    fs
      .readdirSync(path.join(top, dir), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(dir, name)),
  );
  const tests = names.filter((name) => name.endsWith(".test.ts"));
  const text = tests.map((name) => fs.readFileSync(path.join(top, name), "utf8")).join("");
  const RUN = new Set(["fs", "fs-escape", "resource"]);
  const isRun = ({ cat, wat, expected }: Row) =>
    wat !== undefined && (RUN.has(cat) || (cat === "capability" && expected === "deny"));
  expect(ROWS.filter((row) => !isRun(row) && !text.includes(row.id))).toEqual([]);
});

const ASKS =
  'export default (_, host) => { try { return host.call("model.chat", { messages: [{ role: "user", content: "x" }] }) } catch (e) { return { code: e.code, message: e.message } } }';

describe("the model", () => {
  const chat = async <Model extends ModelProvider = StubModel>(
    js: string,
    model = createStubModel({ text: "x" }) as unknown as Model,
  ) => {
    const path = await makeToolFolder(
      { js },
      { capabilities: { model_access: true }, limits: { timeout: 20, memory: 512 } },
    );
    const { cell } = await openTempCell({
      tools: [wasmTool({ path, grant: { model_access: true } })],
      trust: "autonomous",
      model,
    });
    return { model, ...(await cell.call({ name: "tested", arguments: {} })) };
  };

  test("wasm-107 a loop of requests ends at the limit of host calls", async () => {
    const js =
      'export default (_, host) => { for (let n = 0; ; n++) try { host.call("model.chat", { messages: [{ role: "user", content: "x" }] }) } catch (e) { return { n, code: e.code } } }';
    const { output, model } = await chat(js);
    expect([output, model.requests.length]).toEqual([{ n: 10_000, code: "DENIED" }, 10_000]);
  });

  test("wasm-111 an answer that is too long for a reply is OUTPUT_LIMIT in the guest", async () => {
    const { output } = await chat(ASKS, createStubModel({ text: "x".repeat(5_000_000) }));
    expect(output).toEqual({
      code: "OUTPUT_LIMIT",
      message: expect.stringContaining("more than 4194304 bytes"),
    });
  });

  test("wasm-112 the provider's error reaches the guest without the key", async () => {
    const server = http.createServer(({ headers }, response) =>
      response
        .writeHead(401)
        .end(JSON.stringify({ error: { message: `wrong key ${headers.authorization}` } })),
    );
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const model = openModel({
      model: "openai/m",
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: "sk-canary-1234567890",
    });
    const { output } = await chat(ASKS, model);
    expect(output?.message).toContain("wrong key Bearer [key]");
  });

  test("wasm-109 a prompt of many MB is refused before it leaves the guest", async () => {
    const js =
      'export default (_, host) => { try { host.call("model.chat", { messages: [{ role: "user", content: "x".repeat(2e7) }] }) } catch (e) { return { code: e.code } } }';
    const { output, model } = await chat(js);
    expect([output, model.requests.length]).toEqual([{ code: "INVALID_ARGUMENTS" }, 0]);
  });
});

// Every built-in tool describes its observations to MCP clients. Here the descriptions meet real observations.
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Ajv } from "ajv";
import { expect, onTestFinished, test } from "vitest";
import { isFailure } from "../../../src/call/observation-text.ts";
import type { Cell } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { AnyObservation } from "../../../src/core/types.ts";
import { BUILTIN_TOOLS } from "../../../src/tools/builtin-tools.ts";
import { observationSchema } from "../../../src/tools/output/observation-schema.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

type Calls = readonly (readonly [tool: string, args: JsonObject])[];

const FILE = {
  "a.txt": "one\ntwo\n",
  "b.bin": "\0\u0001",
  "i.gif": "GIF89a\0",
  "dir/c.md": "---\ntitle: x\n---\nthree\n",
};

const READS: Calls = [
  ["read_file", { path: "a.txt" }],
  ["read_file", { path: "b.bin" }],
  ["list_directory", {}],
  ["list_directory", { recursive: true }],
  ["search_files", { pattern: "one" }],
  ["write_file", { path: "n.txt", content: "n" }],
  ["run_command", { command: "echo out; echo err >&2; exit 3" }],
  ["run_command", { command: "sleep 60", background: true }],
  ["time.now", {}],
];

const CALLS: Readonly<Record<string, { readonly good: Calls; readonly bad: Calls }>> = {
  coding: {
    good: [
      ...READS,
      ["edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] }],
      ["read_file", { path: "i.gif" }],
      ["find_files", { pattern: "*.txt" }],
      ["search_files", { pattern: "t", show: "counts" }],
      ["search_files", { pattern: "t", show: "files" }],
      ["search_files", { pattern: "two", context: 1 }],
    ],
    bad: [
      ["read_file", { path: "gone" }],
      ["run_command", { command: "sleep 60", timeout_ms: 100 }],
    ],
  },
  sidecar: { good: READS, bad: [["read_file", { path: ".." }]] },
  mounts: {
    good: [
      ["fs.list", { path: "@project" }],
      ["fs.read", { path: "@project/a.txt" }],
      ["fs.search", { path: "@project", pattern: "one" }],
      ["fs.write", { path: "@project/w.txt", content: "w" }],
      [
        "fs.apply_patch",
        { path: "@project/a.txt", patch: { operation: "replace", oldText: "one", newText: "1" } },
      ],
    ],
    bad: [["fs.read", { path: "@project/gone" }]],
  },
  studio: {
    good: [
      ["file_read", { path: "a.txt" }],
      ["file_write", { path: "s.txt", content: "s" }],
      ["bash", { command: "echo hi" }],
    ],
    bad: [["bash", { command: "exit 4" }]],
  },
  kv: {
    good: [
      ["kv_set", { key: "a", value: { any: ["json", 1, null] } }],
      ["kv_get", { key: "a" }],
      ["kv_get", { key: "none" }],
      ["kv_list", { prefix: "a" }],
      ["kv_delete", { key: "a" }],
    ],
    bad: [["kv_delete", { key: "\0" }]],
  },
  js: {
    good: [["run_js", { code: "return input.a + 1", input: { a: 1 } }]],
    bad: [["run_js", { code: "throw new Error('x')" }]],
  },
};

const sessionCalls = (callId: string): Calls => [
  ["session_create", {}],
  ["session_diff", {}],
  ["session_commit", { paths: ["n.txt"] }],
  ["session_rewind", { to: callId }],
  ["session_discard", {}],
  ["session_commit", {}],
];

const processCalls = (id: JsonObject): Calls => [
  ["process_list", {}],
  ["process_output", id],
  ["process_stop", id],
];

const SEARCHES: Calls = [["web_search", { query: "hotcell" }]];

async function checkCalls(cell: Cell, toolset: string, calls: Calls, fails: boolean): Promise<void> {
  for (const [name, args] of calls) {
    const observation = await cell.call<AnyObservation>({ name, arguments: args });
    const found = [name, isFailure(observation), faultsOf(toolset, name, observation)];
    expect(found, JSON.stringify(observation)).toEqual([name, fails, null]);
  }
}

test.each(Object.keys(CALLS))("observations of the toolset %s have the described form", async (toolset) => {
  const { cell } = await openTempCell(
    { toolsets: [toolset, "processes"], trust: "autonomous", fs: "overlay" },
    FILE,
  );
  const { good = [], bad = [] } = CALLS[toolset] ?? {};
  await checkCalls(cell, toolset, good, false);
  await checkCalls(cell, toolset, bad, true);
});

test("observations of the toolset session have the described form", async () => {
  const rules = ["allow session_commit"];
  const { cell, root } = await openTempCell({ toolsets: ["coding", "session"], rules, fs: "overlay" }, FILE);
  const write = (at: string) => cell.call({ name: "write_file", arguments: { path: at, content: "n" } });
  await write("n.txt");
  const { meta } = await write("left.txt");
  await checkCalls(cell, "session", sessionCalls(meta.callId), false);
  expect(fs.readFileSync(path.join(root, "n.txt"), "utf8"), "it was a real commit").toBe("n");
  await checkCalls(cell, "session", [["session_rewind", { to: "none" }]], true);
});

test("observations of the toolset web have the described form", async () => {
  const result = { title: "T", url: "https://example.com/", content: "C", engine: "x" };
  const service = http.createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ results: [result], unresponsive_engines: [] }));
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  onTestFinished(() => void service.close());
  const { port } = service.address() as AddressInfo;
  const open = (searxngUrl: string) =>
    openTempCell({ toolsets: ["web"], trust: "autonomous", webSearch: { searxngUrl } });
  await checkCalls((await open(`http://127.0.0.1:${port}`)).cell, "web", SEARCHES, false);
  await checkCalls((await open("http://127.0.0.1:1")).cell, "web", SEARCHES, true);
});

test("observations of the toolset processes have the described form", async () => {
  const { cell } = await openTempCell(
    { toolsets: ["coding", "processes"], trust: "autonomous", fs: "overlay" },
    FILE,
  );
  const { output } = await cell.call({
    name: "run_command",
    arguments: { command: "echo begun; sleep 60", background: true },
  });
  await checkCalls(cell, "processes", processCalls({ process_id: output?.process_id ?? "" }), false);
});

test("each built-in tool is among the calls above", () => {
  const tables = {
    ...Object.fromEntries(Object.entries(CALLS).map(([toolset, { good }]) => [toolset, good])),
    session: sessionCalls(""),
    processes: processCalls({}),
    web: SEARCHES,
  };
  const called = Object.entries(tables).flatMap(([toolset, calls]) =>
    calls.map(([name]) => `${toolset} ${name}`),
  );
  const names = BUILTIN_TOOLS.map(({ toolset, name }) => `${toolset} ${name}`);
  expect(names.filter((name) => !called.includes(name))).toEqual([]);
});

test("an observation of another form does not pass", () => {
  const observation = { success: true, tool: "read_file", output: { path: 7 }, error: null, meta: {} };
  expect(faultsOf("coding", "read_file", observation)).not.toBeNull();
});

test("every built-in tool describes its output", () => {
  expect(BUILTIN_TOOLS.filter((tool) => observationSchema(tool) === null).map(({ name }) => name)).toEqual(
    [],
  );
});

function faultsOf(toolset: string, name: string, observation: object): unknown {
  const tool = BUILTIN_TOOLS.find((one) => one.toolset === toolset && one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} in ${toolset}`);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  const check = ajv.compile(observationSchema(tool) ?? {});
  return check(JSON.parse(JSON.stringify(observation))) ? null : check.errors;
}

// A deterministic call of a wasm tool can be run again from its recording: the same output and the same fuel.
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../../src/log/log.ts";
import { runPaths } from "../../../src/log/runs.ts";
import type { Recording } from "../../../src/runners/wasm/recording/recording.ts";
import { type CliWorld, openCliWorld } from "../../kit/worlds/cli-world.ts";
import { command, makeToolFolder, type ToolCode } from "../../kit/worlds/wasm-tool-folder.ts";

/** Its output depends on the time, on random bytes, on a file, and on the order of what it does. */
const UNSTEADY = `export default ({ n }, host) => {
  const before = host.call("workspace.read", { path: "a.txt" }).content;
  host.call("workspace.write", { path: "a.txt", content: before + n });
  return { time: Date.now(), random: Math.random(), before };
}`;
const WRITES = { capabilities: { filesystem: "write" } };
const GRANT = ["--grant", "filesystem=write"];

interface Called {
  readonly call: string;
  readonly session: string;
  readonly output: Record<string, unknown> | null;
  readonly error: { readonly code: string } | null;
  readonly wasm: { readonly fuel: number; readonly recording?: string };
}

async function callTool(world: CliWorld, dir: string, ...flags: string[]): Promise<Called> {
  const { out } = await world.run(["tool", "run", dir, "--input", '{"n":1}', "--json", ...flags]);
  return JSON.parse(out);
}

async function callUnsteady(...flags: string[]) {
  const world = openCliWorld({ "a.txt": "first" });
  const dir = await makeToolFolder({ js: UNSTEADY }, WRITES);
  const called = await callTool(world, dir, ...GRANT, ...flags);
  const recordingsDir = path.join(world.stateDir, "runs", called.session, "logs/recordings");
  const recordingFile = path.join(recordingsDir, `${called.wasm.recording}`);
  return { ...world, dir, called, recordingFile };
}

test("a deterministic call is replayed with the same output and fuel, after its files have changed", async () => {
  const { run, root, called } = await callUnsteady("--deterministic");
  fs.writeFileSync(path.join(root, "a.txt"), "changed since");
  const { code, out } = await run(["audit", "replay", called.call, "--json"]);
  const result = {
    status: "exit",
    exitCode: 0,
    fuel: called.wasm.fuel,
    memoryBytes: expect.any(Number),
    output: JSON.stringify(called.output),
  };
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      call: called.call,
      tool: "tested",
      same: true,
      differences: [],
      messages: 2,
      recorded: result,
      replayed: result,
    },
  ]);
  expect(fs.readFileSync(path.join(root, "a.txt"), "utf8")).toBe("changed since");
});

test("the same tool gives other values in another call: the clock and the random bytes are the call's own", async () => {
  const world = openCliWorld({ "a.txt": "first" });
  const dir = await makeToolFolder({ js: UNSTEADY }, WRITES);
  for (const flags of [[], ["--deterministic"]]) {
    const [one, two] = [
      await callTool(world, dir, ...GRANT, ...flags),
      await callTool(world, dir, ...GRANT, ...flags),
    ];
    expect(one.output?.random).not.toBe(two.output?.random);
    expect(Math.abs(Number(one.output?.time) - Date.now())).toBeLessThan(60_000);
  }
});

/** Opens a file of the workspace, reads it, and gives it as its output. */
const READS_FILE = command(
  `(local.set $e (call $open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 6) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 20)))
   (i32.store (i32.const 8) (i32.const 2048)) (i32.store (i32.const 12) (i32.const 1000))
   (drop (call $read (i32.load (i32.const 20)) (i32.const 8) (i32.const 1) (i32.const 24)))
   (call $say (i32.const 2048) (i32.load (i32.const 24))) (call $exit (local.get $e))`,
  "a.json",
);

test.each<[string, ToolCode, object, string]>([
  ["files by WASI", { wat: READS_FILE }, WRITES, "exit"],
  ["an exit code", { wat: command("(call $exit (i32.const 3))") }, {}, "exit"],
  ["a trap", { wat: command("unreachable") }, {}, "trap"],
  ["no fuel", { wat: command("(loop $l (br $l))") }, { limits: { fuel: 1_000_000 } }, "fuel"],
])("a call with %s is replayed", async (_name, code, manifest, status) => {
  const world = openCliWorld({ "a.json": '{"a":1}' });
  const dir = await makeToolFolder(code, manifest);
  const called = await callTool(world, dir, ...GRANT, "--deterministic");
  if (code.wat === READS_FILE) expect(called.output).toEqual({ a: 1 });
  fs.rmSync(path.join(world.root, "a.json"));
  const replayed = await world.run(["audit", "replay", called.call, "--json"]);
  expect([replayed.code, JSON.parse(replayed.out)]).toMatchObject([0, { same: true, recorded: { status } }]);
});

test("a replay requests nothing from the network", async () => {
  let requests = 0;
  const server = http.createServer((_, response) => void response.end(`answer ${++requests}`));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = openCliWorld();
  fs.writeFileSync(path.join(world.root, "c.json"), JSON.stringify({ allowedPrivateHosts: [host] }));
  const js = `export default (_, host) => host.call("http.fetch", { url: "http://${host}/" })`;
  const dir = await makeToolFolder({ js }, { capabilities: { network: [host] } });
  const flags = ["--grant", `network=${host}`, "--config", "c.json", "--deterministic"];
  const called = await callTool(world, dir, ...flags);
  expect([called.output?.body, requests]).toEqual(["answer 1", 1]);
  expect([(await world.run(["audit", "replay", called.call])).code, requests]).toEqual([0, 1]);
});

test("code that a model wrote for run_js is in the recording", async () => {
  const { run } = openCliWorld();
  const args = JSON.stringify({ code: "return Math.random()" });
  const called = await run(["call", "run_js", args, "--toolset", "js", "--deterministic", "--json"]);
  expect(JSON.parse(called.out)).toMatchObject({ success: true });
  expect(await run(["audit", "replay", "last"])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The same: run_js/),
  });
});

test("a call is also known by the number of its record or as the last one, and the text says what was compared", async () => {
  const { run, called } = await callUnsteady("--deterministic");
  for (const name of ["#1", "#2", "last"])
    expect(await run(["audit", "replay", name])).toEqual({
      code: 0,
      out: `The same: tested (${called.call}), ${called.wasm.fuel} fuel, ${JSON.stringify(called.output).length} bytes of output, 2 messages to hotcell\n`,
      err: "",
    });
});

/** A log that names another recording than the one that was made: only hotcell itself could write it. */
async function replayChanged(change: (recording: Recording) => object) {
  const { run, stateDir, called, recordingFile } = await callUnsteady("--deterministic");
  const recording: Recording = JSON.parse(fs.readFileSync(recordingFile, "utf8"));
  const log = openLog(runPaths(stateDir, called.session));
  const id = log.recording(Buffer.from(JSON.stringify({ ...recording, ...change(recording) })));
  log.exec({
    toolCallId: "changed",
    toolName: "tested",
    agentId: null,
    intent: null,
    input: {},
    output: {},
    outcome: { status: "executed_ok" },
    rule: null,
    durationMs: 1,
    recording: id,
  });
  log.close();
  const { code, out } = await run(["audit", "replay", "changed", "--json"]);
  return { code, differences: JSON.parse(out).differences };
}

test("a replay that differs exits 1, and names what differs", async () => {
  const { code, differences } = await replayChanged(({ result }) => ({
    result: { ...result, fuel: 5, stdout: Buffer.from("{}").toString("base64") },
  }));
  expect([code, differences]).toEqual([
    1,
    [
      { what: "fuel", recorded: "5", replayed: expect.stringMatching(/^\d{4,}$/) },
      { what: "stdout", recorded: "{}", replayed: expect.stringContaining('"before":"first"') },
    ],
  ]);
});

test.each([
  ["another input", { input: Buffer.from('{"n":2}').toString("base64") }, "another message 2"],
  ["another seed", { run: { seed: { startMs: 1, random: "x" } } }, null],
])("a guest that has %s is found out", async (_name, change, replayed) => {
  const { code, differences } = await replayChanged(({ run }) =>
    "run" in change ? { run: { ...run, ...change.run } } : change,
  );
  expect(code).toBe(1);
  if (replayed === null) expect(differences).toContainEqual(expect.objectContaining({ what: "stdout" }));
  else expect(differences).toEqual([{ what: "messages", recorded: "2 messages to hotcell", replayed }]);
});

test("a recording that was changed is not replayed: its hash is in the log", async () => {
  const { run, called, recordingFile } = await callUnsteady("--deterministic");
  const text = fs.readFileSync(recordingFile, "utf8");
  fs.writeFileSync(recordingFile, text.replace('"tested"', '"TESTED"'));
  const { code, out } = await run(["audit", "replay", called.call]);
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(
      /^DIFFERENT: tested \(call_.*\)\n {2}recording: recorded "[0-9a-f]+"?…?, now "[0-9a-f]+/,
    ),
  ]);
});

test("a log that was changed is not believed", async () => {
  const { run, called, stateDir } = await callUnsteady("--deterministic");
  const { logFile } = runPaths(stateDir, called.session);
  fs.writeFileSync(logFile, fs.readFileSync(logFile, "utf8").replace('"tested"', '"TESTED"'));
  const { code, out } = await run(["audit", "replay", called.call, "--json"]);
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    {
      same: false,
      differences: [{ what: "log", replayed: expect.stringContaining("Record 1 was changed") }],
      recorded: null,
      replayed: null,
    },
  ]);
});

test("wrong use is exit 2: no such call, not deterministic, its code changed, its recording removed", async () => {
  const plain = await callUnsteady();
  expect(await plain.run(["audit", "replay", "call_none"])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no ended call "call_none"'),
  });
  expect(await plain.run(["audit", "replay", plain.called.call])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"tested" was not called with --deterministic'),
  });
  const { run, dir, called, recordingFile } = await callUnsteady("--deterministic");
  fs.appendFileSync(path.join(dir, "tool.js"), "\n");
  expect(await run(["audit", "replay", called.call])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/has changed since\. Its SHA-256 was [0-9a-f]{64}, and is [0-9a-f]{64}/),
  });
  fs.rmSync(recordingFile);
  expect(await run(["audit", "replay", called.call])).toMatchObject({
    code: 2,
    err: expect.stringContaining("was removed"),
  });
});

test("a recording has granted secrets in it: only its owner can read it, and no tool", async () => {
  const world = openCliWorld();
  const js = 'export default (_, host) => host.call("workspace.write", { path: "a", content: "" })';
  const dir = await makeToolFolder({ js }, { capabilities: { filesystem: "write", env: ["API_KEY"] } });
  const env = { HOTCELL_STATE_DIR: world.stateDir, API_KEY: "key-value-1234567890" };
  const flags = [...GRANT, "--grant", "env=API_KEY", "--deterministic", "--json"];
  const { out } = await world.run(["tool", "run", dir, ...flags], { env });
  const { session, wasm }: Called = JSON.parse(out);
  const recordings = path.join(world.stateDir, "runs", session, "logs/recordings");
  const recording = path.join(recordings, wasm.recording!);
  expect(fs.readFileSync(recording, "utf8")).toContain("key-value-1234567890");
  expect([recordings, recording].map((at) => (fs.statSync(at).mode & 0o777).toString(8))).toEqual([
    "700",
    "600",
  ]);
  const artifact = JSON.stringify({ path: `artifact:${wasm.recording}` });
  const read = async () =>
    JSON.parse((await world.run(["call", "read_file", artifact, "--session", session, "--json"])).out);
  expect(await read()).toMatchObject({ success: false, error: { code: "NOT_FOUND" } });
  // An artifact with the same content can be read.
  fs.mkdirSync(path.join(recordings, "../artifacts"), { recursive: true });
  fs.copyFileSync(recording, path.join(recordings, "../artifacts", wasm.recording!));
  expect(await read()).toMatchObject({ success: true });
});

test("a call whose replies are too long to keep is OUTPUT_LIMIT, not a call without a recording", async () => {
  const js = `export default (_, host) => {
    for (let n = 0; n < 40; n++) host.call("workspace.read", { path: "a.txt" });
    return {};
  }`;
  const world = openCliWorld({ "a.txt": "x".repeat(1_000_000) });
  const dir = await makeToolFolder({ js }, WRITES);
  expect((await callTool(world, dir, ...GRANT)).error).toBeNull();
  const { error, wasm } = await callTool(world, dir, ...GRANT, "--deterministic");
  expect([error?.code, wasm.fuel, wasm.recording]).toEqual(["OUTPUT_LIMIT", null, undefined]);
});

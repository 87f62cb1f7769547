// A provider that is malicious, or a model that it made so.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../../src/agent/agent-event.ts";
import { runAgent } from "../../../src/agent/run-agent.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { openWorkDirectories } from "../../kit/open-work-directories.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { serveModel, type WireAnswer } from "../../kit/worlds/model-server.ts";
import { openTempCell, tempDir } from "../../kit/worlds/temp-cell.ts";

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const callOf = (index: number, name: string, args: object) => ({
  index,
  id: `c${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
const calls = (...all: readonly object[]): WireAnswer => ({
  body: [...all.map((one) => chunk({ tool_calls: [one] })), chunk({}, "tool_calls")],
});
const DONE: WireAnswer = { body: [chunk({ content: "Done." }), chunk({}, "stop")] };

async function run(url: string): Promise<AgentEvent[]> {
  const model = openModel({ model: "openai/m", baseUrl: url, apiKey: "k" });
  const { cell } = await openTempCell({ trust: "autonomous" }, { "a.txt": "a\n" });
  const events: AgentEvent[] = [];
  for await (const event of runAgent({ cell, model, messages: [{ role: "user", content: "go" }] }))
    events.push(event);
  await model.close();
  return events;
}

async function serve(...answers: readonly WireAnswer[]): Promise<string> {
  const server = await serveModel(...answers);
  onTestFinished(() => server.close());
  return server.url;
}

test("the key reaches the provider, and no log, observation, command or output", async () => {
  const KEY = "canary-5b1f9c2e77d04a3e";
  const top = tempDir("/var/tmp");
  const [project, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  fs.mkdirSync(project);
  const look = "env; cat /proc/self/environ /proc/1/environ /proc/*/environ /proc/*/cmdline; echo looked";
  const server = await serveModel(calls(callOf(0, "run_command", { command: look })), DONE);
  onTestFinished(() => server.close());
  const env = { ...process.env, MODEL_API_KEY: KEY, MODEL_BASE_URL: server.url, HOTCELL_STATE_DIR: stateDir };
  const args = [path.join(ROOT, "bin/hotcell.js"), "chat", "--json", "--model", "openai/m", "go"];
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => {
      printed += String(bytes);
    });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(printed).toContain("looked");
  expect(printed).not.toContain(KEY);
  openWorkDirectories(stateDir);
  const files = fs.readdirSync(stateDir, { recursive: true, withFileTypes: true });
  const kept = files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  expect(kept.some((file) => fs.readFileSync(file, "utf8").includes("looked"))).toBe(true);
  expect(kept.filter((file) => fs.readFileSync(file).includes(KEY))).toEqual([]);
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(KEY);
});

test("an answer with a thousand calls: some are run, each has one result, and the run goes on", async () => {
  const many = Array.from({ length: 1000 }, (_, at) =>
    callOf(at, "read_file", { path: "a.txt", start_line: at + 1 }),
  );
  const events = await run(await serve(calls(...many), DONE));
  const results = events.flatMap((event) => (event.kind === "call.result" ? [event] : []));
  expect(results.length).toBe(1000);
  expect(results.filter(({ outcome }) => outcome !== "not_executed").length).toBe(LIMITS.maxBatchCalls);
  expect(events.at(-1)).toMatchObject({ stop: "done" });
});

test("a call of many megabytes is not run, and the run goes on", async () => {
  const more = { index: 0, function: { arguments: "x".repeat(LIMITS.maxCallBytes / 4) } };
  const first = {
    ...callOf(0, "write_file", {}),
    function: { name: "write_file", arguments: '{"path":"b","content":"' },
  };
  const last = { index: 0, function: { arguments: '"}' } };
  const events = await run(await serve(calls(first, more, more, more, more, last), DONE));
  expect(events.find(({ kind }) => kind === "call.result")).toMatchObject({
    outcome: "not_executed",
    message: { isError: true },
  });
  expect(events.at(-1)).toMatchObject({ stop: "done" });
});

test("an answer that never ends is ended at its limit", async () => {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = chunk({ content: "x".repeat(500_000) });
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.closeAllConnections());
  const events = await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(events.at(-1)).toMatchObject({ stop: "error", error: { code: "MODEL_PROTOCOL" } });
});

// hotcell's adapters and loop against a mock server that others wrote.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installSdks } from "../../../bench/sdks.js";
import type { AgentEvent } from "../../../src/agent/agent-event.ts";
import { runAgent } from "../../../src/agent/run-agent.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

interface Mock {
  readonly url: string;
  onMessage(pattern: string, answer: object, options?: object): void;
  onTurn(turn: number, pattern: string, answer: object): void;
  start(): Promise<unknown>;
  stop(): Promise<void>;
}

let mock: Mock;

beforeAll(async () => {
  const file = path.join(installSdks().dir, "node_modules/@copilotkit/aimock/dist/index.js");
  const { LLMock } = (await import(pathToFileURL(file).href)) as { LLMock: new (options: object) => Mock };
  mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
  const calls = [
    { name: "read_file", arguments: { path: "a.txt" } },
    { name: "write_file", arguments: { path: "b.txt", content: "héllo 😀\n" } },
  ];
  mock.onTurn(0, "work", { content: "I look.", toolCalls: calls });
  mock.onTurn(1, "work", { content: "Done: héllo 😀." });
  mock.onMessage("cut", { toolCalls: calls }, { truncateAfterChunks: 2, chunkSize: 8, latency: 20 });
  mock.onMessage("busy", { error: { message: "slow down", type: "rate_limit_error" }, status: 429 });
  await mock.start();
});
afterAll(() => mock.stop());

describe.each([
  ["anthropic", ""],
  ["openai", "/v1"],
  ["openai-responses", "/v1"],
  ["ollama", ""],
])("%s", (dialect, prefix) => {
  const run = async (prompt: string) => {
    const model = openModel({ model: `${dialect}/m`, baseUrl: `${mock.url}${prefix}`, apiKey: "k" });
    const { cell } = await openTempCell({ fs: "overlay", trust: "autonomous" }, { "a.txt": "a\n" });
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ cell, model, messages: [{ role: "user", content: prompt }] }))
      events.push(event);
    await model.close();
    return { events, changes: (await cell.diff()).changes.map(({ path: at }) => at) };
  };

  test("a run with two calls ends well: the server understands calls and results as they are sent back", async () => {
    const { events, changes } = await run("work");
    const results = events.filter(({ kind }) => kind === "call.result");
    expect(results).toMatchObject([{ outcome: "executed_ok" }, { outcome: "executed_ok" }]);
    expect(events.findLast(({ kind }) => kind === "answer")).toMatchObject({
      message: { content: "Done: héllo 😀." },
    });
    expect(events.at(-1)).toMatchObject({ kind: "run.end", stop: "done" });
    expect(changes).toEqual(["b.txt"]);
  });

  test("an answer that is cut off executes nothing", async () => {
    const { events, changes } = await run("cut");
    expect(events.at(-1)).toMatchObject({ stop: "error", error: { code: "MODEL_STREAM_CUT" } });
    expect(changes).toEqual([]);
  });

  test("a provider that is busy is asked again, and named as such in the end", async () => {
    const { events } = await run("busy");
    expect(events.at(-1)).toMatchObject({ stop: "error", error: { code: "MODEL_RATE_LIMITED" } });
  });
});

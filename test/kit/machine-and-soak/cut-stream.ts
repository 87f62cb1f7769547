// A run in which the answer with calls breaks off, at any byte.
import { expect, onTestFinished } from "vitest";
import { runAgent } from "../../../src/agent/run-agent.ts";
import type { ModelProvider } from "../../../src/models/model.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { serveModel, type WireAnswer } from "../worlds/model-server.ts";
import { openTempCell } from "../worlds/temp-cell.ts";
import { type Dialect, WIRE_CASES } from "../worlds/wire-cases.ts";

/** What an answer has at its end, and nowhere else. */
const ENDINGS: Readonly<Record<Dialect, string>> = {
  anthropic: '"type":"message_stop"',
  openai: '"finish_reason":"tool_calls"',
  "openai-responses": '"type":"response.completed"',
  ollama: '"done":true',
};

/** Cuts an answer with two calls at every `step`th byte: no call is executed before the answer has ended. */
export async function cutStream(dialect: Dialect, step: number): Promise<void> {
  const { body, expected } = WIRE_CASES[dialect].find(
    ({ expected: { calls, ends } }) => calls?.length === 2 && ends === "tool_calls",
  )!;
  // The tools are the test's own: a built-in one has the name read_file.
  const bytes = Buffer.from(body.join("").replaceAll("read_file", "look_file"));
  const names = expected.calls!.map(([name]) => name.replace("read_file", "look_file"));
  const end = bytes.indexOf(ENDINGS[dialect]);
  expect(end).toBeGreaterThan(0);
  const ran: string[] = [];
  const tools = ["look_file", "list"].map((name) => toolOf(name, ran));
  const { cell } = await openTempCell({ tools }, {}, MEMORY_DIR);
  const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => at).filter(
    (at) => at % step === 0 || at === bytes.length,
  );
  const first = await open(
    dialect,
    cuts.map((at) => ({ body: [bytes.subarray(0, at)], breaks: at % 2 === 0 && at < bytes.length })),
  );
  const second = await open(dialect, [{ body: WIRE_CASES[dialect][0]!.body }]);
  let whole = 0;
  for (const at of cuts) {
    ran.length = 0;
    let turns = 0;
    const sendMessage: ModelProvider["sendMessage"] = (...asked) =>
      (turns++ === 0 ? first : second).sendMessage(...asked);
    const stops: string[] = [];
    for await (const event of runAgent({ cell, model: { ...first, sendMessage }, messages: PROMPT }))
      if (event.kind === "run.end") stops.push(event.stop);
    const isWhole = at > end && turns === 2;
    whole += Number(isWhole);
    const found = { at, stops, turns, ran: ran.toSorted() };
    expect(found).toEqual(
      isWhole
        ? { at, stops: ["done"], turns: 2, ran: names.toSorted() }
        : { at, stops: ["error"], turns: 1, ran: [] },
    );
  }
  expect(whole).toBeGreaterThan(0);
}

const PROMPT = [{ role: "user", content: "go" }] as const;

async function open(dialect: Dialect, answers: readonly WireAnswer[]): Promise<ModelProvider> {
  const server = await serveModel(...answers);
  const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
  onTestFinished(async () => {
    await model.close();
    await server.close();
  });
  return model;
}

function toolOf(name: string, ran: string[]) {
  return defineTool({
    name,
    description: "Says that it ran.",
    input: { type: "object" },
    danger: "safe",
    run() {
      ran.push(name);
      return {};
    },
  });
}

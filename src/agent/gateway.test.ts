import { describe, expect, test } from "vitest";
import { type ModelServer, serveModel } from "../../test/kit/worlds/model-server.ts";
import { createStubModel } from "../../test/kit/worlds/stub-model.ts";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import { type Dialect, WIRE_CASES } from "../../test/kit/worlds/wire-cases.ts";
import type { CellOptions } from "../cell.ts";
import { createSuspension } from "../core/suspension.ts";
import { openModel } from "../models/open-model.ts";
import { defineTool } from "../tools/define-tool.ts";
import { runAgent } from "./run-agent.ts";

const summarize = defineTool({
  name: "summarize",
  description: "Asks the model.",
  input: { type: "object" },
  danger: "safe",
  needs: ["model"],
  async run(_args, { model }) {
    const {
      content,
      stop,
      usage,
      model: name,
    } = await model.chat({
      system: "Be brief.",
      messages: [{ role: "user", content: "hello" }],
    });
    return { content, stop, tokens: usage.inputTokens, model: name };
  },
});

const call = async (options: Partial<CellOptions>) => {
  const { cell } = await openTempCell({ tools: [summarize], ...options });
  return cell.call({ name: "summarize" });
};

describe("the model for tools", () => {
  test("P2.1: a tool gets a typed answer to a typed request", async () => {
    const model = createStubModel({ text: "Short." });
    const { output } = await call({ model, modelAccess: ["summarize"] });
    expect(output).toEqual({ content: "Short.", stop: "stop", tokens: 100, model: "openai/stub" });
    expect(model.requests).toEqual([{ system: "Be brief.", messages: [{ role: "user", content: "hello" }] }]);
  });

  test.each(Object.keys(WIRE_CASES) as Dialect[])(
    "P2.2, P6.3: over %s, on a server of this machine",
    async (dialect) => {
      const [text] = WIRE_CASES[dialect];
      const server: ModelServer = await serveModel({ body: text!.body });
      const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
      const { output } = await call({ model, modelAccess: ["summarize"] });
      expect(output).toMatchObject({ content: text!.expected.text, stop: "stop" });
      await model.close();
      await server.close();
    },
  );

  test("P2.3: without model_access the tool can't use it, and the message says how to grant it", async () => {
    const model = createStubModel({ text: "no" });
    const { error } = await call({ model });
    expect(error).toEqual({
      code: "CAPABILITY_DENIED",
      message: 'summarize may not use the model. To grant it, add "summarize" to modelAccess.',
    });
    expect(model.requests).toEqual([]);
  });

  test("a cell without a model says so", async () => {
    expect((await call({ modelAccess: ["summarize"] })).error?.code).toBe("NOT_SUPPORTED");
  });

  test("P6.3: the provider's error reaches the tool with its code", async () => {
    const model = createStubModel({ error: "MODEL_RATE_LIMITED" });
    expect((await call({ model, modelAccess: ["summarize"] })).error?.code).toBe("MODEL_RATE_LIMITED");
  });

  test("what a tool used before the run was stopped counts when it is continued", async () => {
    const model = createStubModel({ text: "inner" });
    const { cell } = await openTempCell({ tools: [summarize], model, modelAccess: ["summarize"] });
    const stopped = new AbortController();
    const outer = createStubModel({ calls: [["summarize", {}]] }, { text: "x", hangs: true });
    const messages = [{ role: "user", content: "go" }] as const;
    let run = "";
    for await (const event of runAgent({ cell, model: outer, messages, signal: stopped.signal })) {
      if (event.kind === "run.start") run = event.run;
      if (event.kind === "text") stopped.abort(createSuspension());
    }
    const ended: unknown[] = [];
    for await (const event of runAgent({ cell, model: createStubModel({ text: "Done." }), run }))
      if (event.kind === "run.end") ended.push(event.usage);
    expect(ended).toEqual([{ inputTokens: 300, outputTokens: 30, cachedTokens: 0, calls: 1, costUsd: null }]);
  });

  test("an answer to a tool that breaks off counts with what it had used", async () => {
    const usage = { inputTokens: 1000, outputTokens: 1, cachedTokens: 500 };
    const model = createStubModel({ text: "Half", usage, error: "MODEL_STREAM_CUT" });
    const { cell } = await openTempCell({ tools: [summarize], model, modelAccess: ["summarize"] });
    const outer = createStubModel({ calls: [["summarize", {}]] }, { text: "Done." });
    const messages = [{ role: "user", content: "go" }] as const;
    const ended: unknown[] = [];
    for await (const event of runAgent({ cell, model: outer, messages }))
      if (event.kind === "run.end") ended.push(event.usage);
    expect(ended).toMatchObject([{ inputTokens: 1200, outputTokens: 21, cachedTokens: 500 }]);
  });

  test("what a tool uses counts against the run's budget, and a spent budget refuses it", async () => {
    const model = createStubModel({ text: "inner" });
    const { cell } = await openTempCell({ tools: [summarize], model, modelAccess: ["summarize"] });
    const outer = createStubModel(
      {
        calls: [
          ["summarize", {}],
          ["summarize", { again: true }],
        ],
      },
      { text: "Done." },
    );
    const messages = [{ role: "user", content: "go" }] as const;
    const results: string[] = [];
    let used = 0;
    for await (const event of runAgent({ cell, model: outer, messages, budget: { tokens: 200 } })) {
      if (event.kind === "call.result") results.push(event.message.content);
      if (event.kind === "run.end") used = event.usage.inputTokens;
    }
    expect(results[1]).toContain("is spent");
    expect(model.requests).toHaveLength(1);
    expect(used).toBe(200);
  });
});

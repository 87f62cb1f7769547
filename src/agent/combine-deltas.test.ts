import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStubModel } from "../../test/kit/worlds/stub-model.ts";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import type { ChunkBody, ModelProvider } from "../models/model.ts";
import type { AgentEvent, AgentEventBody } from "./agent-event.ts";
import { combineDeltas } from "./combine-deltas.ts";
import { runAgent } from "./run-agent.ts";

const fakeTimers = () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
afterEach(() => void vi.useRealTimers());

/** The model says a piece, and some time passes before the next one. */
async function runPieces(pieces: readonly string[], thinking: readonly string[], everyMs: number) {
  const { cell } = await openTempCell();
  fakeTimers();
  const model: ModelProvider = {
    ...createStubModel(),
    async *sendMessage() {
      let index = 0;
      for await (const body of play()) yield { messageId: "m", index: index++, ...body };
    },
  };
  async function* play(): AsyncGenerator<ChunkBody> {
    for (const content of thinking) yield { type: "thinking", content };
    for (const content of pieces) {
      yield { type: "chunk", content };
      await vi.advanceTimersByTimeAsync(everyMs);
    }
    yield {
      type: "end",
      message: { role: "assistant", content: pieces.join(""), calls: [] },
      stop: "stop",
      usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
    };
  }
  const events: AgentEvent[] = [];
  const messages = [{ role: "user", content: "go" }] as const;
  for await (const event of runAgent({ cell, model, messages })) events.push(event);
  return events;
}

describe("the streamed text of a run", () => {
  test("a hundred pieces in a second become 20 events with the same text in the same order", async () => {
    const pieces = Array.from({ length: 100 }, (_, at) => `${at} `);
    const events = await runPieces(pieces, [], 10);
    const texts = events.flatMap((event) => (event.kind === "text" ? [event.content] : []));
    expect(texts).toHaveLength(20);
    expect(texts.join("")).toBe(pieces.join(""));
  });

  test("a slow piece does not wait for the next one", async () => {
    const events = await runPieces(["a", "b"], [], 1000);
    expect(events.flatMap((event) => (event.kind === "text" ? [event.content] : []))).toEqual(["a", "b"]);
  });

  test("thinking and text are not joined, and all of them come before the answer", async () => {
    const events = await runPieces(["c", "d"], ["a", "b"], 0);
    const told = events
      .slice(2)
      .map((event) => ("content" in event ? [event.kind, event.content] : event.kind));
    expect(told).toEqual([["thinking", "ab"], ["text", "cd"], "answer", "run.end"]);
  });
});

describe("the output of calls", () => {
  beforeEach(fakeTimers);
  const output = (callId: string, stream: "stdout" | "stderr", text: string) =>
    ({ kind: "call.output", callId, tool: "run_command", stream, text }) as const;

  test("is joined only within one stream of one call", () => {
    const told: AgentEventBody[] = [];
    const { add, flush } = combineDeltas((body) => told.push(body));
    add(output("a", "stdout", "1"));
    add(output("a", "stdout", "2"));
    add(output("a", "stderr", "3"));
    add(output("b", "stderr", "4"));
    add({ kind: "text", content: "5" });
    flush();
    expect(told).toEqual([
      output("a", "stdout", "12"),
      output("a", "stderr", "3"),
      output("b", "stderr", "4"),
      { kind: "text", content: "5" },
    ]);
    vi.runAllTimers();
    expect(told, "nothing is told twice").toHaveLength(4);
  });
});

test("what was dropped is never told", () => {
  fakeTimers();
  const told: AgentEventBody[] = [];
  const { add, drop, flush } = combineDeltas((body) => told.push(body));
  add({ kind: "text", content: "a" });
  drop();
  vi.runAllTimers();
  flush();
  expect(told).toEqual([]);
});

test("an error while a timer tells is thrown to the next caller", () => {
  fakeTimers();
  const { add, flush } = combineDeltas(() => {
    throw new Error("the disk is full");
  });
  add({ kind: "text", content: "a" });
  vi.runAllTimers();
  expect(flush).toThrow("the disk is full");
});

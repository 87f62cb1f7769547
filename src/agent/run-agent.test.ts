import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ModelServer, serveModel } from "../../test/kit/worlds/model-server.ts";
import {
  createStubModel,
  isWellFormed,
  type StubModel,
  type StubTurn,
} from "../../test/kit/worlds/stub-model.ts";
import { openTempCell, type TempCell, tempDir } from "../../test/kit/worlds/temp-cell.ts";
import { type Dialect, WIRE_CASES } from "../../test/kit/worlds/wire-cases.ts";
import type { Approve } from "../approval/approve.ts";
import { createDesk, listQuestions } from "../approval/desk.ts";
import type { CellOptions } from "../cell.ts";
import { createSuspension } from "../core/suspension.ts";
import { readLog } from "../log/read.ts";
import { openModel } from "../models/open-model.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { AgentEvent } from "./agent-event.ts";
import { type AgentOptions, runAgent } from "./run-agent.ts";

const PROMPT = [{ role: "user", content: "go" }] as const;
const read = (at: string) => ["read_file", { path: at }] as const;
const write = (at: string, content = "x\n") => ["write_file", { path: at, content }] as const;

async function collect(options: AgentOptions): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of runAgent(options)) events.push(event);
  return events;
}

interface Played extends TempCell {
  readonly model: StubModel;
  readonly events: AgentEvent[];
}

async function play(
  turns: readonly StubTurn[],
  options: Partial<AgentOptions> = {},
  cellOptions: Partial<CellOptions> = {},
): Promise<Played> {
  const temp = await openTempCell({ trust: "autonomous", ...cellOptions }, { "a.txt": "hello\n" });
  const model = createStubModel(...turns);
  const events = await collect({ cell: temp.cell, model, messages: PROMPT, ...options });
  return { ...temp, model, events };
}

const DIALECTS = Object.keys(WIRE_CASES) as Dialect[];

/** Runs an answer of a provider, by its name among the wire cases, and then one of text. */
async function playWire(
  dialect: Dialect,
  name: string,
): Promise<Pick<Played, "events"> & Pick<ModelServer, "requests">> {
  const [text, ...others] = WIRE_CASES[dialect];
  const answer = others.find((one) => one.name === name)!;
  const server = await serveModel({ body: answer.body }, { body: text!.body });
  const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
  onTestFinished(async () => {
    await model.close();
    await server.close();
  });
  const { cell } = await openTempCell({ trust: "autonomous", tools: [list] });
  return { events: await collect({ cell, model, messages: PROMPT }), requests: server.requests };
}

/** Tells its arguments. */
const list = defineTool({
  name: "list",
  description: "A tool of a test.",
  input: { type: "object", properties: {} },
  run: (got) => ({ got }),
});

const kinds = (events: readonly AgentEvent[]) => events.map(({ kind }) => kind);
const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.kind === "call.result" ? [event] : []));
const endOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1)!;
  if (last.kind !== "run.end") throw new Error(`the last event is ${last.kind}`);
  return last;
};

describe("a run", () => {
  test("AC-29: an answer of text alone is told and ends the run", async () => {
    const { events } = await play([{ text: "Hello." }]);
    expect(kinds(events)).toEqual(["run.start", "message", "text", "answer", "run.end"]);
    expect(events[2]).toMatchObject({ content: "Hello." });
    expect(endOf(events)).toMatchObject({
      stop: "done",
      usage: { inputTokens: 100, outputTokens: 10, calls: 0 },
    });
  });

  test("AC-30: calls are run, their results go back, and the next answer is text", async () => {
    const { events, model } = await play([
      { text: "I look.", calls: [read("a.txt")] },
      { text: "It says hello." },
    ]);
    expect(kinds(events)).toEqual([
      "run.start",
      "message",
      "text",
      "answer",
      "call.started",
      "call.result",
      "text",
      "answer",
      "run.end",
    ]);
    expect(model.requests[1]!.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", content: "I look.", calls: [{ id: "p0", name: "read_file" }] },
      {
        role: "tool",
        callId: "p0",
        name: "read_file",
        isError: false,
        content: expect.stringContaining("hello"),
      },
    ]);
  });

  test("events are numbered, and the run log has all of them", async () => {
    const { events, cell } = await play([{ calls: [read("a.txt")] }, { text: "Done." }]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    const [file] = fs.readdirSync(cell.agentDir).filter((name) => name.endsWith(".jsonl"));
    const at = path.join(cell.agentDir, file!);
    const written = fs.readFileSync(at, "utf8").trimEnd().split("\n");
    expect(written.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(events)));
    expect(fs.statSync(at).mode & 0o777).toBe(0o600);
  });

  test("each call has an id of its own in the log, though the provider gives the same id in every turn", async () => {
    const turn = { calls: [read("a.txt"), write("b.txt")] };
    const { events, cell } = await play([turn, { calls: [write("c.txt")] }, { text: "Done." }]);
    const ids = results(events).map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(3);
    const logged = [...readLog(cell.logFile)].filter(({ record }) => record?.kind === "tool.exec");
    expect(logged.map(({ record }) => record!.toolCallId).sort()).toEqual([...ids].sort());
  });

  test("its start and its end are in the execution log", async () => {
    const { records, events } = await play([{ text: "Hello." }]);
    const { run } = events[0] as Extract<AgentEvent, { kind: "run.start" }>;
    expect(records()).toMatchObject([
      { kind: "run.start", run, model: "openai/stub" },
      { kind: "run.end", run, stop: "done" },
    ]);
  });

  test("P1.3: the loop calls tools only through the cell: every call is recorded, refused ones too", async () => {
    const { records, events } = await play([
      { calls: [read("../x"), ["nope", {}], write("b.txt")] },
      { text: "." },
    ]);
    expect(results(events).map(({ outcome }) => outcome)).toEqual([
      "not_executed",
      "not_executed",
      "executed_ok",
    ]);
    expect(records().filter(({ kind }) => kind === "tool.exec")).toHaveLength(3);
  });

  test("AC-24: a call that fails is a result, and the loop goes on", async () => {
    const { events, model } = await play([{ calls: [read("no.txt")] }, { text: "It does not exist." }]);
    expect(results(events)).toMatchObject([{ outcome: "executed_error", message: { isError: true } }]);
    expect(model.requests).toHaveLength(2);
    expect(endOf(events).stop).toBe("done");
  });

  test("AC-31: after the most turns the model gets one turn without tools, and the run ends", async () => {
    const turns = Array.from({ length: 4 }, (_, at) => ({ calls: [read(`${at}.txt`)] }));
    const { events, model } = await play(turns, { maxTurns: 3 });
    expect(model.requests.map(({ tools = [] }) => tools.length > 0)).toEqual([true, true, true, false]);
    expect(endOf(events).stop).toBe("iterations");
    expect(results(events)).toHaveLength(3);
  });

  test("AC-31: a run that sets no limit has 200 turns with tools, and one without", async () => {
    const turns = Array.from({ length: 202 }, (_, at) => ({ calls: [read(`${at}.txt`)] }));
    const { events, model } = await play(turns);
    const withTools = model.requests.map(({ tools = [] }) => tools.length > 0);
    expect(withTools).toEqual([...Array(200).fill(true), false]);
    expect(results(events)).toHaveLength(200);
    expect(endOf(events).stop).toBe("iterations");
  });

  test("an answer at the token limit ends the run as such, and a refusal too", async () => {
    expect(endOf((await play([{ text: "abc", stop: "length" }])).events).stop).toBe("length");
    expect(endOf((await play([{ text: "no", stop: "refusal" }])).events).stop).toBe("refusal");
  });

  test("a call that was cut off at the token limit is not executed, and the model is told", async () => {
    const { events, root, model } = await play([
      { calls: [["write_file", '{"path":"b.txt","content":"x"}']], stop: "length" },
      { text: "." },
    ]);
    expect(results(events)).toMatchObject([{ outcome: "not_executed", message: { isError: true } }]);
    expect(fs.existsSync(path.join(root, "b.txt"))).toBe(false);
    expect(model.requests.every(isWellFormed)).toBe(true);
  });

  test("a call of an answer that was refused is not executed, and the run ends", async () => {
    const { events, model } = await play([{ calls: [write("b.txt")], stop: "refusal" }]);
    expect(results(events)).toMatchObject([{ outcome: "not_executed" }]);
    expect(endOf(events).stop).toBe("refusal");
    expect(model.requests).toHaveLength(1);
  });

  test.each(DIALECTS)("a call without arguments that %s streams is run with none", async (dialect) => {
    const { events, requests } = await playWire(dialect, "a call without arguments");
    expect(results(events)).toMatchObject([
      { outcome: "executed_ok", message: { content: expect.stringContaining('"got":{}') } },
    ]);
    expect(endOf(events).stop).toBe("done");
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["refusal", [["not_executed"], "refusal", false]],
    ["stop", [["executed_ok"], "done", true]],
  ] as const)("a call in the text of an answer that ends with %s", async (stop, expected) => {
    const text =
      '<tool_call>\n{"name": "write_file", "arguments": {"path": "b.txt", "content": "x"}}\n</tool_call>';
    const { events, root } = await play([{ text, stop }, { text: "." }]);
    const outcomes = results(events).map(({ outcome }) => outcome);
    expect([outcomes, endOf(events).stop, fs.existsSync(path.join(root, "b.txt"))]).toEqual(expected);
  });

  test("a call that was whole before a content filter ended the answer is not executed", async () => {
    const { events, requests } = await playWire("openai-responses", "a whole call before a content filter");
    expect(results(events)).toMatchObject([{ outcome: "not_executed" }]);
    expect(endOf(events).stop).toBe("refusal");
    expect(requests).toHaveLength(1);
  });

  test("a turn that pauses is continued; its calls are run", async () => {
    const { events, model } = await play([
      { text: "a", stop: "pause" },
      { calls: [read("a.txt")], stop: "pause" },
      { text: "." },
    ]);
    expect(results(events)).toMatchObject([{ outcome: "executed_ok" }]);
    expect(model.requests.every(isWellFormed)).toBe(true);
    expect(endOf(events).stop).toBe("done");
  });

  test("an answer that fails ends the run with the error and executes nothing", async () => {
    const { events } = await play([{ text: "abc", calls: [write("b.txt")], error: "MODEL_STREAM_CUT" }]);
    expect(endOf(events)).toMatchObject({ stop: "error", error: { code: "MODEL_STREAM_CUT" } });
    expect(kinds(events)).not.toContain("call.started");
  });

  test("a later prompt continues the run: numbers, conversation and usage go on", async () => {
    const { events, cell } = await play([{ text: "One." }]);
    const { run } = events[0] as Extract<AgentEvent, { kind: "run.start" }>;
    const model = createStubModel({ text: "Two." });
    const more = await collect({ cell, model, run, messages: [{ role: "user", content: "and?" }] });
    expect(more[0]!.seq).toBe(events.length + 1);
    expect(model.requests[0]!.messages.map(({ content }) => content)).toEqual(["go", "One.", "and?"]);
    expect(endOf(more).usage.inputTokens).toBe(200);
  });

  test("leaving the loop early cancels the run", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" });
    const model = createStubModel({ text: "a", hangs: true });
    for await (const { kind } of runAgent({ cell, model, messages: PROMPT })) if (kind === "text") break;
    const [log] = fs.readdirSync(cell.agentDir).filter((name) => name.endsWith(".jsonl"));
    expect(fs.readFileSync(path.join(cell.agentDir, log!), "utf8")).toContain('"stop":"cancelled"');
  });
});

test("a call whose result was lost with a kill is reported as such, with its changes, and does not run again", async () => {
  const { cell, events } = await play(
    [{ calls: [write("b.txt", "new\n")] }, { text: "Done." }],
    {},
    { fs: "overlay" },
  );
  const [start] = events;
  const { run } = start as Extract<AgentEvent, { kind: "run.start" }>;
  const file = path.join(cell.agentDir, `${run}.jsonl`);
  const written = fs.readFileSync(file, "utf8");
  // As a kill leaves the run log that comes after the outcome in the execution log, and before the result.
  fs.writeFileSync(file, written.slice(0, written.lastIndexOf("\n", written.indexOf('"call.result"')) + 1));
  const model = createStubModel({ text: "Done." });
  const resumed = await collect({ cell, model, run });
  const [result, ...others] = results(resumed);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ outcome: "interrupted", message: { name: "write_file", isError: true } });
  expect(result!.message.content).toMatch(
    /The call ended \(executed_ok\), but hotcell was stopped before its result was kept\. It changed:\n(.*\n)*\+new\n/,
  );
  expect(model.requests[0]!.messages.at(-1)).toEqual(result!.message);
  const begun = [...readLog(cell.logFile)].filter(({ record }) => record?.kind === "tool.intent");
  expect(begun).toHaveLength(1);
});

test("if an event of a call can't be logged, the call ends and the run fails", async () => {
  const { writeSync } = fs;
  const write = vi.spyOn(fs, "writeSync").mockImplementation(((...args: Parameters<typeof writeSync>) => {
    if (String(args[1]).includes('"kind":"call.started"')) throw new Error("the disk is full");
    return writeSync(...args);
  }) as typeof writeSync);
  syncBuiltinESMExports();
  onTestFinished(() => {
    write.mockRestore();
    syncBuiltinESMExports();
  });
  const { model, events } = await play([{ calls: [["own.wait", {}]] }], {}, { tools: [waits] });
  expect(endOf(events)).toMatchObject({
    stop: "error",
    error: { code: "LOG_UNAVAILABLE", message: "Could not write the run's log: the disk is full." },
  });
  expect(model.requests).toHaveLength(1);
});

/** Only its signal ends it. */
const waits = defineTool({
  name: "own.wait",
  description: "A tool of a test.",
  input: { type: "object", properties: {} },
  run: (_, __, signal) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
});

describe("cancelling", () => {
  test("AC-32: within an answer, the text that came is kept, and the run ends as cancelled", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" });
    const cancel = new AbortController();
    const model = createStubModel({ text: "Half", hangs: true });
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ cell, model, messages: PROMPT, signal: cancel.signal })) {
      events.push(event);
      if (event.kind === "text") cancel.abort();
    }
    expect(events.at(-2)).toMatchObject({
      kind: "answer",
      stop: "cancelled",
      message: { content: "Half", calls: [] },
    });
    expect(endOf(events).stop).toBe("cancelled");
  });

  test("AC-32: within a call, every call has its result, and the transcript is well formed", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" }, { "a.txt": "x\n" });
    const cancel = new AbortController();
    const model = createStubModel({ calls: [read("a.txt"), write("b.txt"), write("c.txt")] });
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ cell, model, messages: PROMPT, signal: cancel.signal })) {
      events.push(event);
      if (event.kind === "call.started") cancel.abort();
    }
    expect(endOf(events).stop).toBe("cancelled");
    expect(results(events)).toHaveLength(3);
    const { run } = events[0] as Extract<AgentEvent, { kind: "run.start" }>;
    const next = createStubModel({ text: "." });
    await collect({ cell, model: next, run, messages: PROMPT });
    expect(next.requests.every(isWellFormed)).toBe(true);
  });

  test("AC-32: while questions wait at the desk, every call has its result, and the desk is empty", async () => {
    const stateDir = tempDir();
    const desk = createDesk({ stateDir });
    const cancel = new AbortController();
    const counts: number[] = [];
    const onAsk: Approve = (request, signal) => {
      const answer = desk(request, signal);
      counts.push(listQuestions(stateDir).length);
      if (counts.length === 2) cancel.abort();
      return answer;
    };
    const { events, root } = await play(
      [{ calls: [write("b.txt"), write("c.txt")] }],
      { signal: cancel.signal },
      { trust: "guided", onAsk },
    );
    expect(counts).toEqual([1, 2]);
    expect(results(events).map(({ outcome }) => outcome)).toEqual(["not_executed", "not_executed"]);
    expect(endOf(events).stop).toBe("cancelled");
    expect([listQuestions(stateDir), fs.existsSync(path.join(root, "b.txt"))]).toEqual([[], false]);
  });

  test("before the first answer", async () => {
    const { events } = await play([{ text: "no" }], { signal: AbortSignal.abort() });
    expect(endOf(events).stop).toBe("cancelled");
  });
});

describe("budgets", () => {
  test.each([
    ["tokens", { tokens: 100 }],
    ["cost", { costUsd: 0.0001 }],
    ["time", { timeMs: 0 }],
  ] as const)("%s: no turn begins once it is spent", async (_, budget) => {
    const prices = { input: 1, output: 5 };
    const { events, model } = await play([{ calls: [read("a.txt")] }], { budget, prices });
    expect(endOf(events).stop).toBe("budget");
    expect(model.requests.length).toBeLessThanOrEqual(1);
  });

  test("calls: those beyond it are not executed and say so", async () => {
    const { events } = await play([{ calls: [read("a.txt"), write("b.txt"), write("c.txt")] }], {
      budget: { calls: 2 },
    });
    expect(results(events).map(({ outcome }) => outcome)).toEqual([
      "executed_ok",
      "executed_ok",
      "not_executed",
    ]);
    expect(endOf(events)).toMatchObject({ stop: "budget", usage: { calls: 2 } });
  });

  test("time: a call that runs is cancelled when it is over", async () => {
    const never = defineTool({
      name: "never",
      description: "Never ends.",
      input: { type: "object" },
      danger: "safe",
      run: () => new Promise(() => {}),
    });
    const { events } = await play(
      [{ calls: [["never", {}], write("b.txt")] }],
      { budget: { timeMs: 300 } },
      { tools: [never] },
    );
    expect(results(events).map(({ outcome }) => outcome)).toEqual(["executed_error", "not_executed"]);
    expect(endOf(events)).toMatchObject({ stop: "budget", usage: { calls: 2 } });
  });

  test("time: an answer that arrives is cancelled when it is over", async () => {
    const { events } = await play([{ text: "Half", hangs: true }], { budget: { timeMs: 300 } });
    expect(endOf(events).stop).toBe("budget");
    expect(endOf(events).error).toBeUndefined();
  });

  test("a run that was suspended, or killed before its end was written, continues with all that it has used", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" }, { "a.txt": "hello\n" });
    let run: string | undefined;
    for (const path of ["a", "b"]) {
      const stopped = new AbortController();
      const model = createStubModel({ calls: [read(path)] }, { text: "x", hangs: true });
      const start = run === undefined ? { messages: PROMPT } : { run };
      for await (const event of runAgent({ cell, model, ...start, signal: stopped.signal })) {
        if (event.kind === "run.start") run = event.run;
        if (event.kind === "text") stopped.abort(createSuspension());
      }
    }
    const model = createStubModel({ calls: [read("c"), read("d")] });
    const events = await collect({ cell, model, run: run!, budget: { calls: 3 } });
    expect(results(events).map(({ outcome }) => outcome)).toEqual(["executed_error", "not_executed"]);
    expect(endOf(events)).toMatchObject({
      stop: "budget",
      usage: { calls: 3, inputTokens: 300, outputTokens: 30 },
    });
  });

  const USAGE = { inputTokens: 1000, outputTokens: 1, cachedTokens: 500 };

  test("an answer that is cancelled counts with what it had used", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" });
    const cancel = new AbortController();
    const model = createStubModel({ text: "Half", usage: USAGE, hangs: true });
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ cell, model, messages: PROMPT, signal: cancel.signal })) {
      events.push(event);
      if (event.kind === "text") cancel.abort();
    }
    expect(endOf(events)).toMatchObject({ stop: "cancelled", usage: USAGE });
    const { run } = events[0] as Extract<AgentEvent, { kind: "run.start" }>;
    const next = createStubModel({ text: "." });
    const resumed = await collect({ cell, model: next, run, messages: PROMPT, budget: { tokens: 1001 } });
    expect([endOf(resumed).stop, next.requests]).toEqual(["budget", []]);
  });

  test("an answer that breaks off counts with what it had used, also if the request is sent again", async () => {
    const broken = await play([{ text: "Half", usage: USAGE, error: "MODEL_STREAM_CUT" }]);
    expect(endOf(broken.events)).toMatchObject({ stop: "error", usage: USAGE });
    const again = await play([{ usage: USAGE, error: "MODEL_WITHOUT_TOOLS" }, { text: "." }]);
    expect(endOf(again.events)).toMatchObject({
      stop: "done",
      usage: { inputTokens: 1100, outputTokens: 11 },
    });
  });

  test("cost is counted by the prices, cached input by its own", async () => {
    const { events } = await play([{ text: "." }], { prices: { input: 10, output: 100 } });
    expect(endOf(events).usage.costUsd).toBeCloseTo((100 * 10 + 10 * 100) / 1e6, 10);
  });
});

describe("the same call again", () => {
  test("three times in a row warns the model, five times ends the run", async () => {
    const { events, model } = await play([{ calls: [read("a.txt")] }]);
    expect(endOf(events).stop).toBe("repeated");
    expect(model.requests).toHaveLength(5);
    const warned = results(events).map(({ message }) => message.content.includes("several times in a row"));
    expect(warned).toEqual([false, false, true, true, true]);
    expect(results(events).at(-1)!.outcome).toBe("not_executed");
  });

  test("with another call in between it does not count", async () => {
    const turns = Array.from({ length: 8 }, (_, at) => ({ calls: [read(at % 2 === 0 ? "a.txt" : "b.txt")] }));
    const { events } = await play([...turns, { text: "Done." }]);
    expect(endOf(events).stop).toBe("done");
  });

  test("the order of its keys does not matter", async () => {
    const turns = [0, 1, 2, 3, 4].map((at) => ({
      calls: [["write_file", at % 2 ? '{"path":"b","content":"x"}' : '{"content":"x","path":"b"}'] as const],
    }));
    expect(endOf((await play(turns)).events).stop).toBe("repeated");
  });
});

describe("approvals", () => {
  const bash = { calls: [write("b.txt")] };

  test("AC-21: at guided a safe tool is not asked for", async () => {
    const { events } = await play([{ calls: [read("a.txt")] }, { text: "." }], {}, { trust: "guided" });
    expect(kinds(events)).not.toContain("call.asked");
  });

  test("AC-22: at guided a dangerous tool is asked for, and waits for the answer", async () => {
    const asked: string[] = [];
    const { events, root } = await play(
      [bash, { text: "." }],
      {},
      {
        trust: "guided",
        onAsk({ tool }) {
          asked.push(tool);
          return true;
        },
      },
    );
    expect(asked).toEqual(["write_file"]);
    expect(kinds(events).filter((kind) => kind.startsWith("call."))).toEqual([
      "call.asked",
      "call.answered",
      "call.started",
      "call.result",
    ]);
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("x\n");
  });

  test("AC-23: at autonomous nothing is asked for", async () => {
    const { events } = await play([bash, { text: "." }]);
    expect(kinds(events)).not.toContain("call.asked");
  });

  test("a no reaches the model with its reason, and both are in the execution log", async () => {
    const { events, records } = await play(
      [bash, { text: "." }],
      {},
      {
        trust: "guided",
        onAsk: () => ({ approved: false, reason: "not this file" }),
      },
    );
    expect(results(events)).toMatchObject([
      {
        outcome: "not_executed",
        message: { isError: true, content: expect.stringContaining("not this file") },
      },
    ]);
    expect(records().map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["approval.asked", "approval.answered"]),
    );
  });
});

describe("what the provider can't take", () => {
  test("too long a conversation is sent again without its oldest turns; calls keep their results", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" }, { "a.txt": "x".repeat(1000) });
    const long = Array.from({ length: 6 }, (_, at) => ({
      calls: [["read_file", { path: "a.txt", start_line: at + 1 }] as const],
    }));
    const first = createStubModel(...long, { text: "." });
    const [start] = await collect({ cell, model: first, messages: PROMPT });
    const { run } = start as Extract<AgentEvent, { kind: "run.start" }>;
    const model = createStubModel({ error: "MODEL_CONTEXT_LENGTH" }, { text: "Short." });
    const events = await collect({ cell, model, run, messages: [{ role: "user", content: "on" }] });
    expect(endOf(events).stop).toBe("done");
    expect(kinds(events)).toContain("note");
    const [whole, shorter] = model.requests;
    expect(shorter!.messages.length).toBeLessThan(whole!.messages.length);
    expect(isWellFormed(shorter!)).toBe(true);
    expect(shorter!.messages[0]).toEqual(PROMPT[0]);
    expect(shorter!.messages.at(-1)).toEqual({ role: "user", content: "on" });
  });

  test("a conversation that can't be made shorter ends the run with the error", async () => {
    const { events } = await play([{ error: "MODEL_CONTEXT_LENGTH" }]);
    expect(endOf(events)).toMatchObject({ stop: "error", error: { code: "MODEL_CONTEXT_LENGTH" } });
  });

  test("a model without tools gets them in the prompt, and writes its calls as text", async () => {
    const { events, model, root } = await play([
      { error: "MODEL_WITHOUT_TOOLS" },
      {
        text: 'I write.\n<tool_call>\n{"name": "write_file", "arguments": {"path": "b.txt", "content": "x"}}\n</tool_call>',
      },
      { text: "Done." },
    ]);
    expect(endOf(events).stop).toBe("done");
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("x");
    const [, second, third] = model.requests;
    expect(second!.tools).toBeUndefined();
    expect(second!.system).toContain("write_file");
    expect(third!.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("<tool_response>"),
    });
  });

  test("a call in text is read from the whole answer, however its chunks are cut", async () => {
    const call =
      '<tool_call>\n{"name": "write_file", "arguments": {"path": "b.txt", "content": "</tool_call>"}}\n</tool_call>';
    const quoted = `\`\`\`\`md\n\`\`\`\n${call}\n\`\`\`\n\`\`\`\``;
    const read = await play([{ text: [...quoted] }, { text: "." }]);
    expect(results(read.events)).toEqual([]);
    const { events, root } = await play([{ text: [...`${quoted}\n${call}`] }, { text: "." }]);
    expect(results(events)).toHaveLength(1);
    expect(fs.readFileSync(path.join(root, "b.txt"), "utf8")).toBe("</tool_call>");
  });

  test("with toolMode native it is an error, and text is never a call", async () => {
    const { events } = await play([{ error: "MODEL_WITHOUT_TOOLS" }], { toolMode: "native" });
    expect(endOf(events)).toMatchObject({ stop: "error", error: { code: "MODEL_WITHOUT_TOOLS" } });
    const text =
      '<tool_call>\n{"name": "write_file", "arguments": {"path": "b.txt", "content": "x"}}\n</tool_call>';
    const written = await play([{ text }], { toolMode: "native" });
    expect(kinds(written.events)).not.toContain("call.started");
  });
});

test.each([
  [{ budget: { token: 9 } }, 'budget.token is no setting; perhaps "tokens"'],
  [{ budget: { calls: -1 } }, "budget.calls is -1; allowed are whole numbers from 0"],
  [{ maxTurn: 3 }, 'maxTurn is no setting; perhaps "maxTurns"'],
  [{ messages: "go" }, 'messages is "go"; allowed is a list'],
  [{ messages: [{ role: "system", content: "x" }] }, 'messages[0].role is "system"; allowed are "user"'],
  [{ messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] }, "messages[0].content is"],
  [{ messages: [] }, "a new run has no messages"],
  [{ model: "openai/gpt" }, "model is no model; open one with openModel"],
  [{ cell: undefined }, "cell is no cell; open one with openCell"],
  [{ signal: 5 }, "signal is 5; allowed is an AbortSignal"],
])("wrong options of a run are refused by name before the model is asked: %j", async (options, expected) => {
  const { cell } = await openTempCell();
  const model = createStubModel({ text: "Done." });
  const running = collect({ cell, model, messages: PROMPT, ...(options as object) });
  await expect(running).rejects.toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(expected) }),
  );
  expect(model.requests).toEqual([]);
});

test("a run whose signal has aborted before it begins asks no model", async () => {
  const { events, model } = await play([{ text: "Done." }], { signal: AbortSignal.abort() });
  expect(endOf(events).stop).toBe("cancelled");
  expect(model.requests).toEqual([]);
});

test("a run on a closed cell says that the cell is closed", async () => {
  const { cell } = await openTempCell();
  await cell.close();
  await expect(collect({ cell, model: createStubModel(), messages: PROMPT })).rejects.toThrow(
    "the cell is closed. Open another one",
  );
});

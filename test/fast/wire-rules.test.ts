// What each provider takes as a conversation, and that the adapters send nothing else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTranscript } from "../../src/agent/transcript.ts";
import type { AssistantMessage, ModelMessage } from "../../src/models/model.ts";
import { openModel } from "../../src/models/open-model.ts";
import { serveModel } from "../kit/worlds/model-server.ts";
import { openWires, type Wires } from "../kit/worlds/wire-bodies.ts";
import { type Dialect, WIRE_CASES } from "../kit/worlds/wire-cases.ts";
import { findWireFaults } from "../kit/worlds/wire-rules.ts";

let wires: Wires;
beforeAll(async () => {
  wires = await openWires();
});
afterAll(() => wires.close());

const user = (content: string): ModelMessage => ({ role: "user", content });
const answer = (
  content: string,
  ...calls: readonly (readonly [id: string, name: string])[]
): ModelMessage => ({
  role: "assistant",
  content,
  calls: calls.map(([id, name]) => ({ id, name, arguments: "{}", complete: true })),
});
const result = (callId: string, name: string): ModelMessage => ({
  role: "tool",
  callId,
  name,
  content: `${name} ended`,
  isError: false,
});
const [a, b] = [["a", "list"] as const, ["b", "read"] as const];

describe("a conversation", () => {
  test.each([
    ["with two calls and their results", [user("go"), answer("", a, b), result(...a), result(...b)]],
    [
      "with text before a call, and a prompt after its result",
      [user("go"), answer("I look.", a), result(...a), user("and now?")],
    ],
    ["with two prompts in a row", [user("go"), user("on")]],
    [
      "with a call in each of two answers",
      [user("go"), answer("", a), result(...a), answer("", b), result(...b)],
    ],
  ])("%s is valid for each wire", async (_, messages) => {
    expect(await wires.faultsOf(messages)).toEqual([]);
  });

  test.each<readonly [string, readonly ModelMessage[], readonly string[]]>([
    [
      "in which a result is missing",
      [user("go"), answer("", a, b), result(...a), user("on")],
      [
        "anthropic: the call b has no result",
        "openai: the call b has no result",
        "openai-responses: the call b has no result",
        "ollama: the call read has no result",
      ],
    ],
    [
      "that ends with a call",
      [user("go"), answer("", a)],
      [
        "anthropic: the last message is not the user's",
        "anthropic: the call a has no result",
        "openai: the call a has no result",
        "openai-responses: the call a has no result",
        "ollama: the call list has no result",
      ],
    ],
    [
      "with one id for two calls of an answer",
      [user("go"), answer("", a, ["a", "read"]), result("a", "list"), result("a", "read")],
      [
        "anthropic: the id a of two calls",
        "openai: the id a of two calls",
        "openai-responses: the id a of two calls",
      ],
    ],
    [
      "with one id in two answers",
      [user("go"), answer("", a), result(...a), answer("", a), result(...a)],
      ["anthropic: the id a of two calls"],
    ],
    [
      "with two results of a call",
      [user("go"), answer("", a), result(...a), result(...a)],
      [
        "anthropic: a result a without its call",
        "openai: a result a without its call",
        "openai-responses: a result a without its call",
        "ollama: a result list without its call",
      ],
    ],
    [
      "with a result that no call has",
      [user("go"), result(...a)],
      [
        "anthropic: messages[0]: a result after other content",
        "anthropic: a result a without its call",
        "openai: a result a without its call",
        "openai-responses: a result a without its call",
        "ollama: a result list without its call",
      ],
    ],
    [
      "with a prompt between a call and its result",
      [user("go"), answer("", a), user("on"), result(...a)],
      [
        "anthropic: messages[2]: a result after other content",
        "anthropic: the call a has no result",
        "anthropic: a result a without its call",
        "openai: the call a has no result",
        "openai: a result a without its call",
        "openai-responses: the call a has no result",
        "openai-responses: a result a without its call",
        "ollama: the call list has no result",
        "ollama: a result list without its call",
      ],
    ],
    [
      "with results in another order than their calls",
      [user("go"), answer("", a, b), result(...b), result(...a)],
      ["ollama: a result read without its call", "ollama: the call read has no result"],
    ],
    [
      "with a long id that has a dot",
      [
        user("go"),
        answer("", [`functions.list:${"0".repeat(50)}`, "list"]),
        result(`functions.list:${"0".repeat(50)}`, "list"),
      ],
      [
        `anthropic: the id functions.list:${"0".repeat(50)} of a call`,
        `openai: the id functions.list:${"0".repeat(50)} of a call`,
        `openai-responses: the id functions.list:${"0".repeat(50)} of a call`,
      ],
    ],
    [
      "with an empty prompt",
      [user("go"), user("")],
      [
        "openai: messages[2]: no content",
        "openai-responses: input[1]: no content",
        "ollama: messages[2]: no content",
      ],
    ],
  ])("%s is found on each wire that does not take it", async (_, messages, faults) => {
    expect(await wires.faultsOf(messages)).toEqual(faults);
  });
});

describe("a body in the wrong form is found", () => {
  const text = (value: string) => [{ type: "text", text: value }];
  const use = { type: "tool_use", id: "a", name: "list", input: {} };
  const done = { type: "tool_result", tool_use_id: "a", content: text("x") };
  const call = { id: "a", type: "function", function: { name: "list", arguments: "{}" } };
  const item = { type: "function_call", call_id: "a", name: "list", arguments: "{}" };
  test.each<readonly [Dialect, object, readonly string[]]>([
    ["anthropic", { messages: [] }, ["the last message is not the user's", "no conversation"]],
    [
      "anthropic",
      {
        messages: [
          { role: "user", content: text("a") },
          { role: "user", content: text("b") },
        ],
      },
      ["messages[1]: the role user is not next"],
    ],
    [
      "anthropic",
      { messages: [{ role: "user", content: [] }] },
      ["messages[0]: no content", "no conversation"],
    ],
    ["anthropic", { messages: [{ role: "user", content: text(" \n") }] }, ["messages[0]: an empty text"]],
    [
      "anthropic",
      {
        messages: [
          { role: "user", content: text("a") },
          { role: "assistant", content: [{ ...use, name: "fs.list", input: "{}" }] },
          { role: "user", content: [{ ...done, content: [] }] },
        ],
      },
      [
        "messages[1]: the name fs.list",
        "messages[1]: the input is not an object",
        "messages[2]: an empty result",
      ],
    ],
    [
      "openai",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "system", content: "b" },
        ],
      },
      ["messages[1]: the role system is not next"],
    ],
    [
      "openai",
      { messages: [{ role: "assistant", content: null, tool_calls: [] }] },
      ["messages[0]: tool_calls without a call", "messages[0]: no content"],
    ],
    [
      "openai",
      {
        messages: [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ ...call, type: "tool", function: { name: "fs.list", arguments: '{"path":' } }],
          },
          { role: "tool", tool_call_id: "a", content: null },
        ],
      },
      [
        "messages[0]: a call of the type tool",
        "messages[0]: the name fs.list",
        'messages[0]: the arguments {"path":',
        "messages[1]: the result is not text",
      ],
    ],
    [
      "openai-responses",
      {
        input: [
          { ...item, name: "fs.list", arguments: "[]" },
          { type: "function_call_output", call_id: "a" },
        ],
      },
      ["input[0]: the name fs.list", "input[0]: the arguments []", "input[1]: the result is not text"],
    ],
    [
      "openai-responses",
      { input: [{ type: "reasoning" }, { role: "user", content: "a" }] },
      ["input[0]: reasoning without what it led to"],
    ],
    [
      "openai-responses",
      { input: [{ role: "tool", content: "a" }] },
      ["input[0]: an item message of the role tool"],
    ],
    [
      "ollama",
      {
        messages: [
          { role: "assistant", content: "", tool_calls: [{ function: { name: "", arguments: "{}" } }] },
          { role: "tool", tool_name: "", content: "x" },
        ],
      },
      ["messages[0]: a call without a name", "messages[0]: the arguments are not an object"],
    ],
  ])("%s %j", (dialect, body, faults) => {
    expect(findWireFaults(dialect, body as Record<string, unknown>)).toEqual(faults);
  });
});

describe("every answer that a provider may give can be sent back with the results of its calls, to each provider", () => {
  const cases = (Object.keys(WIRE_CASES) as Dialect[]).flatMap((dialect) =>
    WIRE_CASES[dialect]
      .filter(({ expected }) => !expected.ends.startsWith("MODEL_"))
      .map(({ name, body }) => [dialect, name, body] as const),
  );
  test.each(cases)("%s: %s", async (dialect, _, body) => {
    await staysValid(dialect, body);
  });

  test.each([
    ["anthropic", "t"],
    ["openai-responses", "c"],
  ] as const)("%s: two calls to which the provider gave the same id, or none", async (dialect, id) => {
    const { body } = WIRE_CASES[dialect].find(({ expected }) => expected.calls?.length === 2)!;
    for (const other of [`${id}1`, ""]) {
      const same = body.map((part) => part.replaceAll(`"${id}2"`, `"${other}"`));
      expect(same).not.toEqual(body);
      await staysValid(dialect, same);
    }
  });

  async function staysValid(dialect: Dialect, body: readonly string[]): Promise<void> {
    const given = await answerOf(dialect, body);
    const kept = { seq: 1, ts: "", kind: "answer", stop: "stop", usage: NOTHING } as const;
    const callIds = given.calls.map((_one, at) => `r.${at}`);
    // No call has a result, as after a kill: the transcript adds them.
    const sent = readTranscript([{ ...kept, message: given, callIds }]);
    expect(await wires.faultsOf([user("go"), ...sent, user("on")])).toEqual([]);
  }
});

const NOTHING = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

async function answerOf(dialect: Dialect, body: readonly string[]): Promise<AssistantMessage> {
  const server = await serveModel({ body });
  const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
  try {
    for await (const chunk of model.sendMessage({ messages: [user("go")] }, new AbortController().signal))
      if (chunk.type === "end") return chunk.message;
    throw new Error("no end");
  } finally {
    await model.close();
    await server.close();
  }
}

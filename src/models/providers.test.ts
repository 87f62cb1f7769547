import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { EnvHttpProxyAgent, getGlobalDispatcher, request, setGlobalDispatcher } from "undici";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type ModelServer,
  serveModel,
  type WireAnswer,
  type WireRequest,
} from "../../test/kit/worlds/model-server.ts";
import { type Dialect, summarize, WIRE_CASES, type WireCase } from "../../test/kit/worlds/wire-cases.ts";
import type { ModelChunk, ModelProvider, ModelRequest } from "./model.ts";
import { type ModelOptions, openModel } from "./open-model.ts";
import { readEvents, readJsonLines } from "./read-stream.ts";

const DIALECTS = Object.keys(WIRE_CASES) as Dialect[];
const KEY = "sk-test-0123456789";
const HELLO: ModelRequest = { messages: [{ role: "user", content: "hello" }] };
const TOOL = {
  name: "fs.read",
  description: "Reads.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(
  dialect: Dialect,
  answers: readonly WireAnswer[],
  options: Partial<ModelOptions> = {},
): Promise<{ readonly server: ModelServer; readonly model: ModelProvider }> {
  const server = await serveModel(...answers);
  const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: KEY, ...options });
  opened.push(model, server);
  return { server, model };
}

async function ask(
  model: ModelProvider,
  request = HELLO,
  signal = new AbortController().signal,
): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.sendMessage(request, signal)) chunks.push(chunk);
  return chunks;
}

describe.each(DIALECTS)("%s", (dialect) => {
  const cases = WIRE_CASES[dialect];

  test.each(cases)("reads $name", async ({ body, expected }) => {
    const { model } = await open(dialect, [{ body }]);
    expect(summarize(await ask(model))).toEqual(expected);
  });

  test.each(cases)(
    "reads $name in pieces of one byte, also within a character",
    async ({ body, expected }) => {
      const bytes = Buffer.from(body.join(""));
      const { model } = await open(dialect, [{ body: [...bytes].map((byte) => Uint8Array.of(byte)) }]);
      expect(summarize(await ask(model))).toEqual(expected);
    },
  );

  test("a character of several bytes is read whole, however its bytes are split", async () => {
    const [{ body }] = cases as [WireCase];
    const bytes = Buffer.from(body.join(""));
    async function* pieces(size: number) {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const read = async (size: number) => {
      const all: unknown[] = [];
      const parts = dialect === "ollama" ? readJsonLines(pieces(size), "h") : readEvents(pieces(size), "h");
      for await (const part of parts) all.push(part);
      return all;
    };
    const whole = await read(bytes.length);
    expect(JSON.stringify(whole)).toContain("😀");
    for (const size of [1, 2, 3]) expect(await read(size)).toEqual(whole);
  });

  test("chunks are numbered and have one message id; the end has the whole message and the usage", async () => {
    const [, second] = cases;
    const whole =
      cases.find(({ expected }) => expected.ends === "tool_calls" && expected.calls?.length === 2) ?? second!;
    const { model } = await open(dialect, [{ body: whole.body }]);
    const chunks = await ask(model);
    expect(chunks.map(({ index }) => index)).toEqual([...chunks.keys()]);
    expect(new Set(chunks.map(({ messageId }) => messageId)).size).toBe(1);
    const end = chunks.at(-1)!;
    if (end.type !== "end") throw new Error("no end");
    expect(end.message.calls.map(({ name, arguments: args, complete }) => [name, args, complete])).toEqual(
      whole.expected.calls,
    );
    expect(new Set(end.message.calls.map(({ id }) => id)).size).toBe(2);
    expect(end.usage).toMatchObject({ outputTokens: 9 });
  });

  test("a stream cut at every byte is never a finished answer with other content, and no call of it is complete by chance", async () => {
    const whole = cases.filter(({ expected: { ends } }) => !ends.startsWith("MODEL_"));
    const longest = whole.sort((a, b) => b.body.join("").length - a.body.join("").length).slice(0, 2);
    for (const { name, body, expected } of longest) {
      const bytes = Buffer.from(body.join(""));
      const wholeSummary = expected;
      const cuts = Array.from({ length: bytes.length }, (_, at) => at);
      await Promise.all(
        batches(cuts, 8).map(async (some) => {
          const { model } = await open(
            dialect,
            some.map((at) => ({ body: [bytes.subarray(0, at)], breaks: at % 2 === 0 })),
          );
          for (const at of some) {
            const got = summarize(await ask(model));
            const where = `${name}, cut at ${at}`;
            if (got.ends.startsWith("MODEL_"))
              expect(got.calls?.filter(([, , complete]) => complete) ?? [], where).toSatisfy(
                isPartOf(wholeSummary.calls ?? []),
              );
            else expect(got, where).toEqual(wholeSummary);
          }
        }),
      );
    }
  });

  test("the key reaches no error message, even if the provider repeats it", async () => {
    const { model } = await open(dialect, [
      { status: 401, body: [`{"error":{"message":"wrong key ${KEY}"}}`] },
    ]);
    const [last] = await ask(model);
    expect(last).toMatchObject({ type: "error", error: { code: "MODEL_AUTH" } });
    expect(JSON.stringify(last, errorText)).not.toContain(KEY);
  });

  test("nor an error within a stream, which is inert in a terminal", async () => {
    const said = `wrong key ${KEY} \u001b[2J\u202e`;
    const errors = {
      anthropic: { type: "error", error: { type: "authentication_error", message: said } },
      openai: { error: { code: "invalid_api_key", message: said } },
      "openai-responses": { type: "error", code: "invalid_api_key", message: said },
      ollama: { error: said },
    };
    const text = JSON.stringify(errors[dialect]);
    const { model } = await open(dialect, [
      { body: [dialect === "ollama" ? `${text}\n` : `data: ${text}\n\n`] },
    ]);
    const last = (await ask(model)).at(-1)!;
    if (last.type !== "error") throw new Error("no error");
    expect(last.error.message).toContain("wrong key [key]");
    expect(last.error.message).not.toMatch(/[\p{C}]/u);
  });

  test("a line in pieces of one byte takes time in proportion to its length", async () => {
    const long = "x".repeat(200_000);
    const line =
      dialect === "ollama"
        ? `${JSON.stringify({ error: long })}\n`
        : `data: ${JSON.stringify({ type: "x", x: long })}\n\n`;
    async function* bytes() {
      for (const byte of Buffer.from(line)) yield Uint8Array.of(byte);
    }
    const read = dialect === "ollama" ? readJsonLines(bytes(), "h") : readEvents(bytes(), "h");
    let count = 0;
    for await (const _ of read) count += 1;
    expect(count).toBe(1);
  });

  test("a redirect is not followed", async () => {
    const other = await serveModel({ body: [] });
    opened.push(other);
    const { model } = await open(dialect, [{ status: 307, headers: { location: other.url }, body: [] }]);
    expect(summarize(await ask(model)).ends).toBe("MODEL_PROTOCOL");
    expect(other.requests).toEqual([]);
  });

  test("a request without an answer is sent again; after the first byte it is not", async () => {
    const [good] = cases;
    const busy = { status: 429, headers: { "retry-after": "0" }, body: ['{"error":"slow down"}'] };
    const { model, server } = await open(dialect, [
      busy,
      { status: 503, headers: { "retry-after-ms": "1" }, body: [] },
      { body: good!.body },
    ]);
    expect(summarize(await ask(model))).toEqual(good!.expected);
    expect(server.requests.length).toBe(3);
    const cut = await open(dialect, [
      { body: [good!.body[0]!.slice(0, 5)], breaks: true },
      { body: good!.body },
    ]);
    expect(summarize(await ask(cut.model)).ends).toBe("MODEL_STREAM_CUT");
    expect(cut.server.requests.length).toBe(1);
  });

  test("cancelling during the wait before a request is repeated ends it with CANCELLED, and nothing is sent again", async () => {
    const { model, server } = await open(dialect, [
      { status: 503, headers: { "retry-after": "30" }, body: ["{}"] },
    ]);
    const cancel = new AbortController();
    const asking = ask(model, HELLO, cancel.signal);
    await vi.waitFor(() => expect(server.requests.length).toBe(1));
    await setTimeout(200);
    cancel.abort();
    expect((await asking).at(-1)).toMatchObject({ type: "error", error: { code: "CANCELLED" } });
    expect(server.requests.length).toBe(1);
  });

  test("no proxy is taken from the environment", async () => {
    let dialled = 0;
    const proxy = http.createServer().on("connect", (_, socket) => {
      dialled += 1;
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
    opened.push({
      async close() {
        proxy.close();
        proxy.closeAllConnections();
      },
    });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
      for (const spelled of [name, name.toLowerCase()]) vi.stubEnv(spelled, url);
    for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
    const before = getGlobalDispatcher();
    const withProxy = new EnvHttpProxyAgent();
    setGlobalDispatcher(withProxy);
    try {
      const [good] = cases;
      const { model, server } = await open(dialect, [{ body: good!.body }]);
      await expect(request(server.url)).rejects.toThrow("502");
      expect(dialled).toBeGreaterThan(0);
      dialled = 0;
      expect(summarize(await ask(model))).toEqual(good!.expected);
      expect(dialled).toBe(0);
    } finally {
      setGlobalDispatcher(before);
      await withProxy.destroy();
      vi.unstubAllEnvs();
    }
  });

  test("a provider that asks to wait for long is not waited for: the error has its time", async () => {
    const { model, server } = await open(dialect, [
      { status: 429, headers: { "retry-after": "3600" }, body: ["{}"] },
    ]);
    const [last] = await ask(model);
    expect(last).toMatchObject({
      error: { code: "MODEL_RATE_LIMITED", details: { retryAfterMs: 3_600_000 } },
    });
    expect(server.requests.length).toBe(1);
  });

  test("silence ends with TIMEOUT", async () => {
    const { model } = await open(dialect, [{ body: ["\n"], hangs: true }], { idleMs: 300 });
    expect((await ask(model)).at(-1)).toMatchObject({ type: "error", error: { code: "TIMEOUT" } });
  });

  test("an answer that drips for ever ends with TIMEOUT at the total limit", async () => {
    const { model } = await open(dialect, [{ body: [], hangs: true }], { totalMs: 300 });
    expect((await ask(model)).at(-1)).toMatchObject({ type: "error", error: { code: "TIMEOUT" } });
  });

  test("cancelling ends the answer with CANCELLED, before and within the stream", async () => {
    const { model } = await open(dialect, [{ body: [cases[0]!.body.slice(0, -1).join("")], hangs: true }]);
    expect(await ask(model, HELLO, AbortSignal.abort())).toMatchObject([
      { type: "error", error: { code: "CANCELLED" } },
    ]);
    const controller = new AbortController();
    const seen: ModelChunk[] = [];
    for await (const chunk of model.sendMessage(HELLO, controller.signal)) {
      seen.push(chunk);
      controller.abort();
    }
    expect(seen.at(-1)).toMatchObject({ type: "error", error: { code: "CANCELLED" } });
  });

  test("nobody listening is MODEL_UNREACHABLE", async () => {
    const server = await serveModel({ body: [] });
    await server.close();
    const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: KEY });
    opened.push(model);
    expect((await ask(model)).at(-1)).toMatchObject({ error: { code: "MODEL_UNREACHABLE" } });
  }, 20_000);

  test.each([
    [400, "This model's maximum context length is 8192 tokens", "MODEL_CONTEXT_LENGTH"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", "MODEL_CONTEXT_LENGTH"],
    [400, "registry/gemma:2b does not support tools", "MODEL_WITHOUT_TOOLS"],
    [404, 'model "q" not found, try pulling it first', "MODEL_REQUEST_REFUSED"],
    [403, "no", "MODEL_AUTH"],
  ])("status %i, %j is %s", async (status, message, code) => {
    const { model } = await open(dialect, [{ status, body: [JSON.stringify({ error: { message } })] }]);
    expect((await ask(model)).at(-1)).toMatchObject({ error: { code } });
  });

  test("the models of the provider are listed with the key, and a wrong key is told", async () => {
    const lists = {
      anthropic: { data: [{ id: "one" }, { id: "two" }] },
      openai: { data: [{ id: "one" }, { id: "two" }] },
      "openai-responses": { data: [{ id: "one" }, { id: "two" }] },
      ollama: { models: [{ name: "one" }, { name: "two" }] },
    };
    const { model, server } = await open(dialect, [
      { body: [JSON.stringify(lists[dialect])] },
      { status: 401, body: ["{}"] },
    ]);
    const { signal } = new AbortController();
    expect(await model.listModels(signal)).toEqual(["one", "two"]);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(KEY);
    await expect(model.validateCredentials(signal)).rejects.toMatchObject({ code: "MODEL_AUTH" });
  });
});

describe("the usage of an answer that does not end", () => {
  const sse = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } };
  const said = { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 };
  const started = sse(
    { type: "message_start", message: { model: "m", usage: said } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    text,
  );
  const usage = { inputTokens: 25, outputTokens: 1, cachedTokens: 20 };

  test.each([
    ["breaks", { body: started, breaks: true }, "MODEL_STREAM_CUT"],
    ["ends early", { body: started }, "MODEL_STREAM_CUT"],
    ["has an error", { body: [...started, ...sse({ type: "error", error: {} })] }, "MODEL_OVERLOADED"],
  ])("Anthropic's is that of its beginning if it %s", async (_, answer, code) => {
    const { model } = await open("anthropic", [answer]);
    expect((await ask(model)).at(-1)).toMatchObject({ type: "error", error: { code }, usage });
  });

  test("and if it is cancelled", async () => {
    const { model } = await open("anthropic", [{ body: started, hangs: true }]);
    const cancel = new AbortController();
    const seen: ModelChunk[] = [];
    for await (const chunk of model.sendMessage(HELLO, cancel.signal)) {
      seen.push(chunk);
      if (chunk.type === "chunk") cancel.abort();
    }
    expect(seen.at(-1)).toMatchObject({ type: "error", error: { code: "CANCELLED" }, usage });
  });

  test("OpenAI's is that of the last report before it broke", async () => {
    const body = sse(
      { model: "m", choices: [{ delta: { content: "Half" } }] },
      { usage: { prompt_tokens: 25, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 20 } } },
    );
    const { model } = await open("openai", [{ body, breaks: true }]);
    expect((await ask(model)).at(-1)).toMatchObject({ error: { code: "MODEL_STREAM_CUT" }, usage });
  });

  test("OpenAI's responses report it with the failure", async () => {
    const used = { input_tokens: 25, output_tokens: 1, input_tokens_details: { cached_tokens: 20 } };
    const body = sse({ type: "response.failed", response: { error: { message: "no" }, usage: used } });
    const { model } = await open("openai-responses", [{ body }]);
    expect((await ask(model)).at(-1)).toMatchObject({ error: { code: "MODEL_OVERLOADED" }, usage });
  });

  test.each(DIALECTS)(
    "%s reports it with an end for an unknown reason, and the error names that",
    async (dialect) => {
      const { body } = WIRE_CASES[dialect].find(({ name }) => name === "an end for an unknown reason")!;
      const { model, server } = await open(dialect, [{ body }]);
      const { host } = new URL(server.url);
      expect((await ask(model)).at(-1)).toMatchObject({
        error: {
          message: expect.stringMatching(`^${host} ended .*: it gave the reason "abort"\\. Ask again\\.$`),
        },
        usage: { inputTokens: expect.any(Number), outputTokens: 9 },
      });
    },
  );

  test.each(DIALECTS)("%s: there is none before the provider reports one", async (dialect) => {
    const { model } = await open(dialect, [{ status: 403, body: ["{}"] }]);
    expect((await ask(model)).at(-1)).not.toHaveProperty("usage");
  });
});

describe("requests in each wire's own form", () => {
  const conversation: ModelRequest = {
    system: "Be brief.",
    tools: [TOOL],
    messages: [
      { role: "user", content: "read a and b" },
      {
        role: "assistant",
        content: "I look.",
        calls: [
          { id: "t1", name: "fs.read", arguments: '{"path":"a"}', complete: true },
          { id: "t2", name: "fs.read", arguments: "", complete: true },
        ],
      },
      {
        role: "tool",
        callId: "t1",
        name: "fs.read",
        content: "A",
        isError: false,
        images: [{ mime: "image/png", base64: "AAAA" }],
      },
      { role: "tool", callId: "t2", name: "fs.read", content: "not found", isError: true },
      { role: "user", content: "and now?" },
    ],
  };
  const sent = async (dialect: Dialect, request = conversation) => {
    const { model, server } = await open(dialect, [{ body: WIRE_CASES[dialect][0]!.body }]);
    await ask(model, request);
    return server.requests[0]!;
  };

  test("AC-28: Anthropic gets input_schema, tool_use and tool_result blocks, and marks for its cache", async () => {
    const { path, headers, body } = await sent("anthropic");
    expect(path).toBe("/v1/messages");
    expect(headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
    expect(body).toMatchObject({
      model: "m",
      stream: true,
      system: [{ type: "text", text: "Be brief." }],
      tools: [{ name: "fs_read", description: "Reads.", input_schema: TOOL.inputSchema }],
    });
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "read a and b" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "fs_read", input: { path: "a" } },
          { type: "tool_use", id: "t2", name: "fs_read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            content: [
              { type: "text", text: "A" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            ],
          },
          {
            type: "tool_result",
            tool_use_id: "t2",
            content: [{ type: "text", text: "not found" }],
            is_error: true,
          },
          { type: "text", text: "and now?", cache_control: { type: "ephemeral" } },
        ],
      },
    ]);
  });

  test("AC-28: OpenAI gets function tools, tool_calls and tool messages; pictures follow the last result", async () => {
    const { path, headers, body } = await sent("openai");
    expect(path).toBe("/chat/completions");
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        {
          type: "function",
          function: { name: "fs_read", description: "Reads.", parameters: TOOL.inputSchema },
        },
      ],
    });
    expect(body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "read a and b" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "t1", type: "function", function: { name: "fs_read", arguments: '{"path":"a"}' } },
          { id: "t2", type: "function", function: { name: "fs_read", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "t1", content: "A" },
      { role: "tool", tool_call_id: "t2", content: "not found" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
      { role: "user", content: "and now?" },
    ]);
  });

  test("AC-28: OpenAI's responses get items; nothing is stored", async () => {
    const { path, body } = await sent("openai-responses");
    expect(path).toBe("/responses");
    expect(body).toMatchObject({
      store: false,
      instructions: "Be brief.",
      tools: [{ type: "function", name: "fs_read", parameters: TOOL.inputSchema, strict: false }],
    });
    expect(body.input).toEqual([
      { role: "user", content: "read a and b" },
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "t1", name: "fs_read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "t2", name: "fs_read", arguments: "{}" },
      { type: "function_call_output", call_id: "t1", output: "A" },
      { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] },
      { type: "function_call_output", call_id: "t2", output: "not found" },
      { role: "user", content: "and now?" },
    ]);
  });

  test("AC-28: Ollama gets function tools with their dots, arguments as objects, and tool messages by name", async () => {
    const { path, body } = await sent("ollama");
    expect(path).toBe("/api/chat");
    expect(body.tools).toEqual([
      {
        type: "function",
        function: { name: "fs.read", description: "Reads.", parameters: TOOL.inputSchema },
      },
    ]);
    expect(body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "read a and b" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { function: { name: "fs.read", arguments: { path: "a" } } },
          { function: { name: "fs.read", arguments: {} } },
        ],
      },
      { role: "tool", tool_name: "fs.read", content: "A", images: ["AAAA"] },
      { role: "tool", tool_name: "fs.read", content: "not found" },
      { role: "user", content: "and now?" },
    ]);
  });

  test.each([
    [
      "anthropic",
      (body: WireRequest["body"]) => body.messages[1].content[0],
      { type: "thinking", thinking: "hm", signature: "SIG" },
    ],
    ["openai", (body: WireRequest["body"]) => body.messages[1].reasoning_content, "hm"],
    [
      "openai-responses",
      (body: WireRequest["body"]) => body.input[1],
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "ENC" },
    ],
    ["ollama", (body: WireRequest["body"]) => body.messages[1].thinking, "hm"],
  ] as const)("%s gets its own thinking back, another provider does not", async (dialect, find, expected) => {
    const thinks = WIRE_CASES[dialect].find(({ expected: { thinking } }) => thinking === "hm")!;
    const { model, server } = await open(dialect, [{ body: thinks.body }]);
    const end = (await ask(model)).at(-1)!;
    if (end.type !== "end") throw new Error("no end");
    const request: ModelRequest = {
      messages: [...HELLO.messages, end.message, { role: "user", content: "more" }],
    };
    await ask(model, request);
    expect(find(server.requests[1]!.body)).toEqual(expected);
    for (const other of DIALECTS.filter((name) => name !== dialect))
      expect(JSON.stringify((await sent(other, request)).body)).not.toMatch(/"hm"|SIG|ENC/);
  });
});

test("Anthropic gets a redacted thinking block back as it came, before the call that followed it", async () => {
  const redacted = WIRE_CASES.anthropic.find(({ name }) => name === "redacted thinking and a call")!;
  const { model, server } = await open("anthropic", [{ body: redacted.body }]);
  const end = (await ask(model)).at(-1)!;
  if (end.type !== "end") throw new Error("no end");
  await ask(model, {
    messages: [
      ...HELLO.messages,
      end.message,
      { role: "tool", callId: "t1", name: "read_file", content: "A", isError: false },
    ],
  });
  expect(server.requests[1]!.body.messages[1].content).toEqual([
    { type: "redacted_thinking", data: "ENCRYPTED" },
    { type: "tool_use", id: "t1", name: "read_file", input: { path: "é😀" } },
  ]);
});

describe("the calls of an answer", () => {
  const start = (toolId: unknown, toolName: string) => ({ type: "tool_call_start", toolId, toolName });
  const delta = (toolId: unknown, content: string) => ({ type: "tool_call_delta", toolId, content });
  const end = (toolId: unknown) => ({ type: "tool_call_end", toolId, complete: true });
  const own = expect.stringMatching(/./);

  test.each([
    [
      "AC-25: Anthropic's tool_use",
      "anthropic",
      [
        start("t1", "read_file"),
        delta("t1", '{"path":'),
        delta("t1", '"a"}'),
        start("t2", "read_file"),
        delta("t2", '{"path":"b"}'),
        end("t1"),
        end("t2"),
      ],
    ],
    [
      "AC-26: OpenAI's tool_calls",
      "openai",
      [
        start("c1", "read_file"),
        delta("c1", '{"path":'),
        delta("c1", '"a"}'),
        start("c2", "list"),
        delta("c2", "{}"),
        end("c1"),
        end("c2"),
      ],
    ],
    [
      "AC-27: Ollama's tool_calls, each with a single delta, and an id of hotcell's own if it has none",
      "ollama",
      [
        start("call_9", "read_file"),
        delta("call_9", '{"path":"a"}'),
        end("call_9"),
        start(own, "list"),
        delta(own, "{}"),
        end(own),
      ],
    ],
  ] as const)("%s are exactly these chunks", async (_, dialect, expected) => {
    const two = WIRE_CASES[dialect].find(
      ({ expected: { calls, ends } }) => calls?.length === 2 && ends === "tool_calls",
    )!;
    const { model } = await open(dialect, [{ body: two.body }]);
    const chunks = (await ask(model)).filter(({ type }) => type.startsWith("tool_call"));
    expect(chunks.map(({ messageId: _id, index: _at, ...chunk }) => chunk)).toEqual(expected);
    const ids = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolId] : []));
    expect(chunks.map((chunk) => "toolId" in chunk && ids.indexOf(chunk.toolId))).not.toContain(-1);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("what can't be opened says what to set", () => {
  test.each([
    [
      { model: "antropic/x" },
      "Did you mean anthropic? Set MODEL_PROVIDER, or model in the library to PROVIDER/NAME.",
    ],
    [{ model: "anthropic/x" }, "Set MODEL_API_KEY, or apiKey in the library."],
    [{ model: "ollama" }, "set MODEL_NAME on the command line."],
    [{ model: "ollama/x", baseUrl: "localhost:1" }, "Set MODEL_BASE_URL, or baseUrl in the library, to"],
    [{ model: "openai/x", baseUrl: "http://user:pass@h" }, "Set MODEL_BASE_URL"],
    [{ model: "openai/x", apiKey: "a b" }, "Set MODEL_API_KEY, or apiKey in the library."],
    [{ model: "scripted//no/such/file" }, 'Could not use the script "/no/such/file"'],
    [{ model: "openai/x", baseURL: "http://127.0.0.1:1" }, 'baseURL is no setting; perhaps "baseUrl"'],
    [{ model: "ollama/x", idleMs: "5" }, 'idleMs is "5"; allowed are whole numbers'],
    [{ model: 5 }, "model is 5; allowed is text"],
    [{}, 'the argument has no "model"; give it one'],
    ["ollama/x", 'the argument is "ollama/x"; allowed is an object'],
  ])("%j", (options, says) => {
    expect(() => openModel(options as ModelOptions)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(says) }),
    );
  });

  test("a key that is no text is not shown", () => {
    const options = { model: "openai/x", apiKey: ["secret"] } as unknown as ModelOptions;
    expect(() => openModel(options)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
  });

  test("a key with a character that no key has is not shown", () => {
    expect(() => openModel({ model: "openai/x", apiKey: "se cret" })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("cret") }),
    );
  });
});

function batches<T>(all: readonly T[], count: number): T[][] {
  const size = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size)).filter(
    ({ length }) => length > 0,
  );
}

const isPartOf = (whole: readonly unknown[]) => (some: readonly unknown[]) =>
  some.every((one) => whole.some((other) => JSON.stringify(other) === JSON.stringify(one)));

const errorText = (_: string, value: unknown) =>
  value instanceof Error ? { ...value, text: value.message } : value;

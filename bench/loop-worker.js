// One side of the comparison, in a process of its own: reads answers to their end, or holds many open. It is given to
// Node on standard input, in the directory where the SDKs are installed.
const [side, port, hotcell] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
const MESSAGES = [{ role: "user", content: "go" }];

const sides = {
  "hotcell adapter, anthropic": () => adapter("anthropic", url),
  "hotcell adapter, openai": () => adapter("openai", `${url}/v1`),
  "hotcell runAgent": agent,
  async "@anthropic-ai/sdk"() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: "k", baseURL: url });
    return async (model, seen) => {
      const request = { model, max_tokens: 10, messages: MESSAGES, stream: true };
      for await (const event of await client.messages.create(request))
        if (event.type === "content_block_delta") seen();
    };
  },
  async openai() {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1` });
    return async (model, seen) => {
      const request = { model, messages: MESSAGES, stream: true };
      for await (const { choices } of await client.chat.completions.create(request))
        if (choices[0].delta.content) seen();
    };
  },
  async "ai, anthropic"() {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return aiSdk(createAnthropic({ apiKey: "k", baseURL: `${url}/v1` }));
  },
  async "ai, openai"() {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return aiSdk(createOpenAI({ apiKey: "k", baseURL: `${url}/v1` }).chat);
  },
};

async function adapter(provider, baseUrl) {
  const { openModel } = await import(`${hotcell}/agent.js`);
  const { signal } = new AbortController();
  const modelOf = once((name) => openModel({ model: `${provider}/${name}`, baseUrl, apiKey: "k" }));
  return async (name, seen) => {
    for await (const chunk of modelOf(name).sendMessage({ messages: MESSAGES }, signal)) {
      if (chunk.type === "chunk") seen();
      if (chunk.type === "error") throw chunk.error;
    }
  };
}

/** A client is made once for a name, as those of the other sides are: its connections are kept. */
function once(make) {
  const made = new Map();
  return (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
}

/** The whole loop, with the run log on the disk. */
async function agent() {
  const { openModel, runAgent } = await import(`${hotcell}/agent.js`);
  const { openCell } = await import(`${hotcell}/index.js`);
  const fs = await import("node:fs");
  const top = fs.mkdtempSync("/var/tmp/hotcell-bench-");
  process.on("exit", () => fs.rmSync(top, { recursive: true }));
  fs.mkdirSync(`${top}/project`);
  const cell = await openCell({ workspace: `${top}/project`, stateDir: `${top}/state` });
  const modelOf = once((name) => openModel({ model: `openai/${name}`, baseUrl: `${url}/v1`, apiKey: "k" }));
  return async (name, seen) => {
    for await (const event of runAgent({ cell, model: modelOf(name), messages: MESSAGES })) {
      if (event.kind === "text") for (const _ of event.content.match(/\S+\s/g)) seen();
      if (event.kind === "run.end" && event.stop !== "done") throw new Error(event.error?.message);
    }
  };
}

async function aiSdk(modelOf) {
  const { streamText } = await import("ai");
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return async (model, seen) => {
    for await (const part of streamText({ model: modelOf(model), messages: MESSAGES }).fullStream) {
      if (part.type === "text-delta") seen();
      if (part.type === "error") throw part.error;
    }
  };
}

const read = await sides[side]();

/** Reads `count` answers of `events` events, one after the other. */
async function readAll(count, events) {
  for (let done = 0; done < count; done++) {
    let seen = 0;
    await read(`m-${events}`, () => seen++);
    if (seen !== events) throw new Error(`${side} saw ${seen} of ${events} events`);
  }
}

/** Opens `count` answers at once, and gives the memory for them when all have come so far. */
async function hold(count, events) {
  globalThis.gc();
  const before = process.memoryUsage().rss;
  let seen = 0;
  await new Promise((resolve, reject) => {
    for (let at = 0; at < count; at++)
      read(`hold-${events}`, () => ++seen === count * events && resolve()).catch(reject);
  });
  globalThis.gc();
  return process.memoryUsage().rss - before;
}

process.on("message", async ({ kind, count, events }) => {
  process.send({ done: (await (kind === "hold" ? hold(count, events) : readAll(count, events))) ?? null });
});
process.on("disconnect", () => process.exit());
process.send({ ready: true });

// Asks a server one question with an SDK of others, and prints what that made of each answer. It is given to Node on
// standard input, in the directory where the SDKs are installed.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchema, streamText, tool } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";

const [url, sdk, count] = process.argv.slice(2);
const KEY = { apiKey: "k", baseURL: url, maxRetries: 0 };
const MESSAGES = [{ role: "user", content: "hello" }];
const TOOLS = ["read_file", "write_file", "list"];
const asked = { model: "m", messages: MESSAGES };

const readers = {
  async anthropic() {
    const stream = new Anthropic(KEY).messages.stream({ ...asked, max_tokens: 10 });
    const { content } = await stream.finalMessage();
    const join = (type) => content.flatMap((block) => (block.type === type ? [block[type]] : [])).join("");
    const calls = content.flatMap(({ type, name, input }) => (type === "tool_use" ? [[name, input]] : []));
    return { text: join("text"), thinking: join("thinking"), calls };
  },
  async openai() {
    const { choices } = await new OpenAI(KEY).chat.completions.stream(asked).finalChatCompletion();
    const { content, tool_calls = [] } = choices[0].message;
    const calls = tool_calls.map(({ function: { name, arguments: args } }) => [name, parse(args)]);
    return { text: content ?? "", thinking: "", calls };
  },
  async "openai-responses"() {
    const request = { model: "m", input: "hello" };
    const { output } = await new OpenAI(KEY).responses.stream(request).finalResponse();
    const parts = output.flatMap(({ content = [], summary = [] }) => [...content, ...summary]);
    const join = (wanted) => parts.flatMap(({ type, text }) => (type === wanted ? [text] : [])).join("");
    const calls = output.flatMap(({ type, name, arguments: args }) =>
      type === "function_call" ? [[name, parse(args)]] : [],
    );
    return { text: join("output_text"), thinking: join("summary_text"), calls };
  },
  async ollama() {
    const answer = { text: "", thinking: "", calls: [] };
    let isDone = false;
    for await (const { message, done } of await new Ollama({ host: url }).chat({ ...asked, stream: true })) {
      answer.text += message.content;
      answer.thinking += message.thinking ?? "";
      for (const {
        function: { name, arguments: args },
      } of message.tool_calls ?? [])
        answer.calls.push([name, args]);
      isDone = done;
    }
    if (!isDone) throw new Error("no end");
    return answer;
  },
  "ai anthropic": () => readAi(createAnthropic(KEY)("m")),
  "ai openai": () => readAi(createOpenAI(KEY).chat("m")),
  "ai openai-compatible": () => readAi(createOpenAICompatible({ name: "x", ...KEY })("m")),
  "ai openai-responses": () => readAi(createOpenAI(KEY).responses("m")),
};

async function readAi(model) {
  const inputSchema = jsonSchema({ type: "object" });
  const tools = Object.fromEntries(TOOLS.map((name) => [name, tool({ description: name, inputSchema })]));
  const answer = { text: "", thinking: "", calls: [] };
  const { fullStream } = streamText({ model, prompt: "hello", tools, maxRetries: 0, onError() {} });
  for await (const part of fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") answer.text += part.text;
    if (part.type === "reasoning-delta") answer.thinking += part.text;
    if (part.type === "tool-call") {
      if (part.invalid) throw part.error;
      answer.calls.push([part.toolName, part.input]);
    }
    if (part.type === "finish-step" && part.finishReason === "other") throw new Error("no end");
  }
  return answer;
}

const parse = (text) => (text === "" ? {} : JSON.parse(text));
const says = ({ text, thinking, calls }) => ({
  ...(text !== "" && { text }),
  ...(thinking !== "" && { thinking }),
  ...(calls.length > 0 && { calls }),
});

const answers = [];
for (let at = 0; at < Number(count); at++)
  answers.push(
    await readers[sdk]().then(says, (error) => ({ error: String(error?.message ?? error).slice(0, 120) })),
  );
process.stdout.write(JSON.stringify(answers));

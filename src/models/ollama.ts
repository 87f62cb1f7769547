// Ollama's own chat API: one JSON value per line, calls whole.
import type { Json, JsonObject } from "../core/json.ts";
import { type CallCollector, collectCalls } from "./collect-calls.ts";
import { createDialer } from "./dial.ts";
import type { ModelMessage, ModelProvider, ModelRequest, ModelSettings, StopReason } from "./model.ts";
import { streamedError } from "./model-error.ts";
import { readJsonLines } from "./read-stream.ts";
import { readStopReason } from "./stop-reason.ts";
import { type AnswerPart, streamAnswer } from "./stream-answer.ts";
import { argumentsObject, asCount, asList, asObject, asText, saysNothing } from "./wire-values.ts";

export function createOllama(settings: ModelSettings): ModelProvider {
  const dialer = createDialer(settings);
  const { host, hideKey } = dialer;
  const headers = settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` };
  const listModels = async (signal: AbortSignal) =>
    asList(asObject(await dialer.get("/api/tags", headers, signal)).models).map(({ name }) => asText(name));
  return {
    provider: "ollama",
    model: settings.model,
    sendMessage(request, signal) {
      const calls = collectCalls();
      const bytes = dialer.stream("/api/chat", headers, requestBody(settings.model, request), signal);
      return streamAnswer(
        { provider: "ollama", host, hideKey, calls, parts: readAnswer(bytes, host, calls) },
        signal,
      );
    },
    listModels,
    async supportsTools(signal) {
      const bytes = dialer.stream("/api/show", headers, { model: settings.model }, signal);
      for await (const { capabilities } of readJsonLines(bytes, host))
        return Array.isArray(capabilities) ? capabilities.includes("tools") : null;
      return null;
    },
    validateCredentials: async (signal) => void (await listModels(signal)),
    close: dialer.close,
  };
}

/** Ollama itself has the first two, and gives no reason if its runner was lost. */
const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
]);

async function* readAnswer(
  bytes: AsyncIterable<Uint8Array>,
  host: string,
  calls: CallCollector,
): AsyncGenerator<AnswerPart> {
  const thoughts: string[] = [];
  let hasStarted = false;
  let count = 0;
  for await (const line of readJsonLines(bytes, host)) {
    if (line.error !== undefined) throw streamedError(host, "", asText(line.error) || "no reason given");
    if (!hasStarted) yield { type: "start", model: asText(line.model) };
    hasStarted = true;
    const message = asObject(line.message);
    if (asText(message.thinking) !== "") {
      thoughts.push(asText(message.thinking));
      yield { type: "thinking", content: asText(message.thinking) };
    }
    if (asText(message.content) !== "") yield { type: "chunk", content: asText(message.content) };
    for (const call of asList(message.tool_calls)) {
      const { name, arguments: args } = asObject(call.function);
      yield* calls.addWhole(count++, asText(call.id), asText(name), argumentsText(args));
    }
    if (line.done !== true) continue;
    const usage = {
      inputTokens: asCount(line.prompt_eval_count),
      outputTokens: asCount(line.eval_count),
      cachedTokens: 0,
    };
    yield { type: "usage", usage };
    const stop = readStopReason(STOPS, asText(line.done_reason), host);
    const native = thoughts.length > 0 ? { native: { thinking: thoughts.join("") } } : {};
    yield { type: "end", stop: stop === "stop" && count > 0 ? "tool_calls" : stop, usage, ...native };
    return;
  }
}

const argumentsText = (args: Json | undefined): string =>
  typeof args === "string" ? args : JSON.stringify(args ?? {});

function requestBody(model: string, { messages, system, tools = [], maxTokens }: ModelRequest): JsonObject {
  return {
    model,
    stream: true,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...messages.filter((message) => !saysNothing(message, "ollama")).map(wireMessage),
    ],
    ...(tools.length > 0 && {
      // Ollama has no rule for names, so they keep their dots.
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    }),
    ...(maxTokens !== undefined && { options: { num_predict: maxTokens } }),
  };
}

function wireMessage(message: ModelMessage): JsonObject {
  if (message.role === "user") return { role: "user", content: message.content };
  if (message.role === "tool") {
    const { name, content, images = [] } = message;
    const pictures = images.map(({ base64 }) => base64);
    return { role: "tool", tool_name: name, content, ...(pictures.length > 0 && { images: pictures }) };
  }
  const { content, calls, native } = message;
  return {
    role: "assistant",
    content,
    ...(native?.provider === "ollama" && asObject(native.content)),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: args }) => ({
        function: { name, arguments: argumentsObject(args) },
      })),
    }),
  };
}

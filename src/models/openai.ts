// OpenAI's chat completions API, and the many servers that are compatible with it.
import type { JsonObject } from "../core/json.ts";
import { wireName } from "../core/wire-name.ts";
import { type CallCollector, collectCalls } from "./collect-calls.ts";
import { createDialer } from "./dial.ts";
import type {
  AssistantMessage,
  ModelImage,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelSettings,
  ModelUsage,
  StopReason,
} from "./model.ts";
import { streamedError } from "./model-error.ts";
import {
  functionTools,
  imageMessage,
  listOpenAIModels,
  openAIHeaders,
  sentArguments,
} from "./openai-common.ts";
import { readEvents, readObject } from "./read-stream.ts";
import { readStopReason } from "./stop-reason.ts";
import { type AnswerPart, streamAnswer } from "./stream-answer.ts";
import { asCount, asList, asObject, asText, NO_USAGE, saysNothing } from "./wire-values.ts";

export function createOpenAI(settings: ModelSettings): ModelProvider {
  const dialer = createDialer(settings);
  const { host, hideKey } = dialer;
  const headers = openAIHeaders(settings);
  return {
    provider: "openai",
    model: settings.model,
    sendMessage(request, signal) {
      const calls = collectCalls();
      const bytes = dialer.stream("/chat/completions", headers, requestBody(settings.model, request), signal);
      return streamAnswer(
        { provider: "openai", host, hideKey, calls, parts: readAnswer(bytes, host, calls) },
        signal,
      );
    },
    listModels: (signal) => listOpenAIModels(dialer, headers, signal),
    validateCredentials: async (signal) => void (await listOpenAIModels(dialer, headers, signal)),
    close: dialer.close,
  };
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "stop"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["length", "length"],
  ["content_filter", "refusal"],
  // Of compatible servers: xAI, Together, Text Generation Inference, Mistral and GLM.
  ["end_turn", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["sensitive", "refusal"],
]);

async function* readAnswer(
  bytes: AsyncIterable<Uint8Array>,
  host: string,
  calls: CallCollector,
): AsyncGenerator<AnswerPart> {
  const readCalls = createCallReader(calls);
  const reasoning: string[] = [];
  let usage = NO_USAGE;
  let reason = "";
  let hasStarted = false;
  for await (const data of readEvents(bytes, host)) {
    if (data === "[DONE]") break;
    const event = readObject(data, host);
    if (event.error !== undefined && event.error !== null) throw reportedError(event, host);
    if (!hasStarted) yield { type: "start", model: asText(event.model) };
    hasStarted = true;
    usage = readUsage(event, usage);
    if (usage !== NO_USAGE) yield { type: "usage", usage };
    const [choice = {}] = asList(event.choices);
    const delta = asObject(choice.delta);
    // Not in OpenAI's own API: compatible servers name it one way or the other.
    const thought = asText(delta.reasoning_content) || asText(delta.reasoning);
    if (thought !== "") {
      reasoning.push(thought);
      yield { type: "thinking", content: thought };
    }
    const said = asText(delta.content) || asText(delta.refusal);
    if (said !== "") yield { type: "chunk", content: said };
    for (const part of asList(delta.tool_calls)) yield* readCalls(part);
    reason = asText(choice.finish_reason) || reason;
  }
  let stop = readStopReason(STOPS, reason, host);
  yield* calls.endAll(stop);
  // Some servers end an answer with calls by "stop".
  if (stop === "stop" && calls.calls().length > 0) stop = "tool_calls";
  const native = reasoning.length > 0 ? { native: { reasoning_content: reasoning.join("") } } : {};
  yield { type: "end", stop, usage, ...native };
}

function reportedError(event: JsonObject, host: string) {
  const { error } = event;
  const { type, code, message } = asObject(error);
  return streamedError(
    host,
    asText(code) || asText(type),
    asText(message) || asText(error) || "no reason given",
  );
}

/**
 * Finds the call that a fragment belongs to. OpenAI numbers calls by `index` and sends id and name once. Others leave out
 * the index, repeat id and name with every fragment, or give two calls the same index.
 */
function createCallReader(calls: CallCollector): (part: JsonObject) => Generator<AnswerPart> {
  const keyOfIndex = new Map<number, string>();
  let last: string | null = null;
  let count = 0;
  const findKey = (part: JsonObject, name: string): string | null => {
    const { index } = part;
    const known = typeof index === "number" ? (keyOfIndex.get(index) ?? null) : last;
    const id = asText(part.id);
    if (known === null) return null;
    if (name === "" || id === "") return name !== "" && typeof index !== "number" ? null : known;
    return known.endsWith(`\0${id}`) ? known : null;
  };
  return function* readCall(part) {
    const given = asObject(part.function);
    const name = asText(given.name);
    let key = findKey(part, name);
    if (key === null) {
      key = `${count++}\0${asText(part.id)}`;
      if (typeof part.index === "number") keyOfIndex.set(part.index, key);
      yield calls.open(key, asText(part.id), name);
    }
    last = key;
    const args = given.arguments;
    const added = calls.add(
      key,
      typeof args === "object" && args !== null ? JSON.stringify(args) : asText(args),
    );
    if (added !== null) yield added;
  };
}

function readUsage(event: JsonObject, before: ModelUsage): ModelUsage {
  const said = asObject(event.usage);
  if (said.prompt_tokens === undefined) return before;
  return {
    inputTokens: asCount(said.prompt_tokens),
    outputTokens: asCount(said.completion_tokens),
    cachedTokens: asCount(asObject(said.prompt_tokens_details).cached_tokens),
  };
}

function requestBody(model: string, { messages, system, tools = [], maxTokens }: ModelRequest): JsonObject {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...wireMessages(messages),
    ],
    ...(tools.length > 0 && { tools: functionTools(tools) }),
  };
}

/** The results of a turn follow it at once, and their pictures follow the last result. */
function wireMessages(messages: readonly ModelMessage[]): JsonObject[] {
  const wire: JsonObject[] = [];
  let images: ModelImage[] = [];
  const putImages = () => {
    if (images.length > 0) wire.push(imageMessage(images, "image_url"));
    images = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      wire.push({ role: "tool", tool_call_id: message.callId, content: message.content });
      images.push(...(message.images ?? []));
      continue;
    }
    putImages();
    if (saysNothing(message, "openai")) continue;
    wire.push(
      message.role === "user" ? { role: "user", content: message.content } : assistantMessage(message),
    );
  }
  putImages();
  return wire;
}

function assistantMessage({ content, calls, native }: AssistantMessage): JsonObject {
  const kept = native?.provider === "openai" ? asObject(native.content) : {};
  return {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...kept,
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: wireName(call.name), arguments: sentArguments(call) },
      })),
    }),
  };
}

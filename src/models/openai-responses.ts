// OpenAI's responses API. Nothing is stored at the provider: reasoning comes encrypted and is sent back.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { wireName } from "../core/wire-name.ts";
import { type CallCollector, collectCalls } from "./collect-calls.ts";
import { createDialer } from "./dial.ts";
import type {
  AssistantMessage,
  ModelCall,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelSettings,
  ModelUsage,
  StopReason,
} from "./model.ts";
import { brokenProtocol, streamedError } from "./model-error.ts";
import { imageMessage, listOpenAIModels, openAIHeaders, sentArguments } from "./openai-common.ts";
import { readEvents, readObject } from "./read-stream.ts";
import { readStopReason } from "./stop-reason.ts";
import { type AnswerPart, streamAnswer } from "./stream-answer.ts";
import { asCount, asList, asObject, asText, hasCalls } from "./wire-values.ts";

export function createOpenAIResponses(settings: ModelSettings): ModelProvider {
  const dialer = createDialer(settings);
  const { host, hideKey } = dialer;
  const headers = openAIHeaders(settings);
  const provider = "openai-responses";
  return {
    provider,
    model: settings.model,
    sendMessage(request, signal) {
      const calls = collectCalls();
      const bytes = dialer.stream("/responses", headers, requestBody(settings.model, request), signal);
      return streamAnswer({ provider, host, hideKey, calls, parts: readAnswer(bytes, host, calls) }, signal);
    },
    listModels: (signal) => listOpenAIModels(dialer, headers, signal),
    validateCredentials: async (signal) => void (await listOpenAIModels(dialer, headers, signal)),
    close: dialer.close,
  };
}

async function* readAnswer(
  bytes: AsyncIterable<Uint8Array>,
  host: string,
  calls: CallCollector,
): AsyncGenerator<AnswerPart> {
  for await (const data of readEvents(bytes, host)) {
    const event = readObject(data, host);
    switch (event.type) {
      case "response.created":
        yield { type: "start", model: asText(asObject(event.response).model) };
        break;
      case "response.output_text.delta":
      case "response.refusal.delta":
        yield { type: "chunk", content: asText(event.delta) };
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield { type: "thinking", content: asText(event.delta) };
        break;
      case "response.output_item.added":
        yield* startItem(asObject(event.item), event.output_index, calls);
        break;
      case "response.function_call_arguments.delta":
        yield* present(calls.add(event.output_index, asText(event.delta)));
        break;
      case "response.output_item.done":
        yield* endItem(asObject(event.item), event.output_index, calls);
        break;
      case "response.completed":
      case "response.incomplete":
        yield* endAnswer(event, calls, host);
        return;
      case "response.failed": {
        const { usage, error } = asObject(event.response);
        if (isJsonObject(usage)) yield { type: "usage", usage: readUsage(usage) };
        throw reportedError(asObject(error), host);
      }
      case "error":
        throw reportedError(event.error === undefined ? event : asObject(event.error), host);
      case undefined:
        throw brokenProtocol(host, "an event has no type; check MODEL_PROVIDER");
    }
  }
}

function* present(chunk: ReturnType<CallCollector["add"]>): Generator<AnswerPart> {
  if (chunk !== null) yield chunk;
}

function* startItem(item: JsonObject, key: Json | undefined, calls: CallCollector): Generator<AnswerPart> {
  if (item.type !== "function_call") return;
  yield calls.open(key, asText(item.call_id), asText(item.name));
  yield* present(calls.add(key, asText(item.arguments)));
}

/** Only an item that is marked as completed was not cut off. */
function* endItem(item: JsonObject, key: Json | undefined, calls: CallCollector): Generator<AnswerPart> {
  if (item.type === "function_call" && item.status !== "incomplete") yield* present(calls.end(key));
}

function* endAnswer(event: JsonObject, calls: CallCollector, host: string): Generator<AnswerPart> {
  const response = asObject(event.response);
  const usage = readUsage(asObject(response.usage));
  yield { type: "usage", usage };
  const stop = stopOf(event, calls, host);
  yield* calls.endAll(stop);
  yield { type: "end", stop, usage, native: asList(response.output).map(keptItem) };
}

/** An item as it is sent back. Servers parse the arguments of earlier calls. */
function keptItem({ id: _id, status: _status, ...item }: JsonObject): JsonObject {
  return item.type === "function_call" && item.arguments === "" ? { ...item, arguments: "{}" } : item;
}

/** Of an incomplete response. */
const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["max_output_tokens", "length"],
  ["content_filter", "refusal"],
]);

function stopOf({ type, response }: JsonObject, calls: CallCollector, host: string): StopReason {
  const { status, incomplete_details } = asObject(response);
  const reason = asText(asObject(incomplete_details).reason);
  // Some servers send this event also for a response that was cut off or cancelled.
  const isComplete =
    type === "response.completed" && reason === "" && (status ?? "completed") === "completed";
  if (!isComplete) return readStopReason(STOPS, reason || asText(status), host);
  return calls.calls().length > 0 ? "tool_calls" : "stop";
}

function reportedError({ code, type, message }: JsonObject, host: string) {
  return streamedError(host, asText(code) || asText(type), asText(message) || "no reason given");
}

function readUsage(said: JsonObject): ModelUsage {
  return {
    inputTokens: asCount(said.input_tokens),
    outputTokens: asCount(said.output_tokens),
    cachedTokens: asCount(asObject(said.input_tokens_details).cached_tokens),
  };
}

function requestBody(model: string, { messages, system, tools = [], maxTokens }: ModelRequest): JsonObject {
  return {
    model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(system !== undefined && { instructions: system }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    input: messages.flatMap(wireItems),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        name: wireName(name),
        description,
        parameters: inputSchema,
        strict: false,
      })),
    }),
  };
}

function wireItems(message: ModelMessage): JsonObject[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "assistant") return assistantItems(message);
  const { callId, content, images = [] } = message;
  const result = { type: "function_call_output", call_id: callId, output: content };
  return images.length === 0 ? [result] : [result, imageMessage(images, "input_image")];
}

function assistantItems({ content, calls, native }: AssistantMessage): JsonObject[] {
  if (native?.provider === "openai-responses" && isWhole(asList(native.content), calls))
    return [...asList(native.content)];
  return [
    ...(content === "" ? [] : [{ role: "assistant", content }]),
    ...calls.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: wireName(call.name),
      arguments: sentArguments(call),
    })),
  ];
}

/** The provider refuses reasoning without what it led to. */
function isWhole(items: readonly JsonObject[], calls: readonly ModelCall[]): boolean {
  const ids = items.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id);
  const isCut = calls.some(({ complete }) => !complete) || items.at(-1)?.type === "reasoning";
  return !isCut && hasCalls(ids, calls);
}

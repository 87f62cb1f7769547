// Anthropic's messages API.
import type { Json, JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { wireName } from "../core/wire-name.ts";
import { type CallCollector, collectCalls } from "./collect-calls.ts";
import { createDialer } from "./dial.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelSettings,
  StopReason,
  ToolResultMessage,
} from "./model.ts";
import { streamedError } from "./model-error.ts";
import { readEvents, readObject } from "./read-stream.ts";
import { readStopReason } from "./stop-reason.ts";
import { type AnswerPart, streamAnswer } from "./stream-answer.ts";
import { argumentsObject, asCount, asList, asObject, asText, hasCalls } from "./wire-values.ts";

export function createAnthropic(settings: ModelSettings): ModelProvider {
  const dialer = createDialer(settings);
  const { host, hideKey } = dialer;
  const headers = { "x-api-key": settings.apiKey ?? "", "anthropic-version": "2023-06-01" };
  const listModels = async (signal: AbortSignal) =>
    asList(asObject(await dialer.get("/v1/models?limit=1000", headers, signal)).data).map(({ id }) =>
      asText(id),
    );
  return {
    provider: "anthropic",
    model: settings.model,
    sendMessage(request, signal) {
      const calls = collectCalls();
      const bytes = dialer.stream("/v1/messages", headers, requestBody(settings.model, request), signal);
      return streamAnswer(
        { provider: "anthropic", host, hideKey, calls, parts: readAnswer(bytes, host, calls) },
        signal,
      );
    },
    listModels,
    validateCredentials: async (signal) => void (await listModels(signal)),
    close: dialer.close,
  };
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
]);

async function* readAnswer(
  bytes: AsyncIterable<Uint8Array>,
  host: string,
  calls: CallCollector,
): AsyncGenerator<AnswerPart> {
  const blocks = new Map<Json | undefined, Block>();
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let reason = "";
  for await (const data of readEvents(bytes, host)) {
    const event = readObject(data, host);
    switch (event.type) {
      case "message_start": {
        const message = asObject(event.message);
        addUsage(usage, asObject(message.usage));
        yield { type: "start", model: asText(message.model) };
        yield { type: "usage", usage: { ...usage } };
        break;
      }
      case "content_block_start": {
        const block = asObject(event.content_block);
        blocks.set(event.index, startBlock(block));
        if (block.type === "tool_use") yield calls.open(event.index, asText(block.id), asText(block.name));
        else if (asText(block.text) !== "") yield { type: "chunk", content: asText(block.text) };
        break;
      }
      case "content_block_delta": {
        const block = blocks.get(event.index);
        const part = block && readDelta(block, event.index, asObject(event.delta), calls);
        if (part) yield part;
        break;
      }
      case "message_delta":
        reason = asText(asObject(event.delta).stop_reason) || reason;
        addUsage(usage, asObject(event.usage));
        yield { type: "usage", usage: { ...usage } };
        break;
      case "message_stop": {
        const stop = readStopReason(STOPS, reason, host);
        yield* calls.endAll(stop);
        yield { type: "end", stop, usage, native: nativeContent([...blocks.values()]) };
        return;
      }
      case "error": {
        const error = asObject(event.error);
        throw streamedError(host, asText(error.type), asText(error.message));
      }
    }
  }
}

/** A content block with its text collected, as it is sent back. */
interface Block {
  readonly block: JsonObject;
  readonly parts: Map<string, string[]>;
}

/** Delta types, the field of the block that they add to. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "signature"],
  ["input_json_delta", "partial_json"],
]);

const startBlock = (block: JsonObject): Block => ({ block, parts: new Map() });

/** Null for a delta that tells nothing. */
function readDelta(
  { parts }: Block,
  key: Json | undefined,
  delta: JsonObject,
  calls: CallCollector,
): AnswerPart | null {
  const field = FIELDS.get(asText(delta.type));
  if (field === undefined) return null;
  const text = asText(delta[field]);
  const collected = parts.get(field);
  if (collected === undefined) parts.set(field, [text]);
  else collected.push(text);
  if (field === "text") return { type: "chunk", content: text };
  if (field === "thinking") return { type: "thinking", content: text };
  return field === "partial_json" ? calls.add(key, text) : null;
}

/** Blocks of types that hotcell does not know are not sent back: it may not have read them whole. */
function nativeContent(blocks: readonly Block[]): Json[] {
  return blocks.flatMap(({ block, parts }) => {
    const collected = (field: string) => asText(block[field]) + (parts.get(field)?.join("") ?? "");
    if (block.type === "text")
      return collected("text") === "" ? [] : [{ type: "text", text: collected("text") }];
    if (block.type === "thinking")
      return [{ type: "thinking", thinking: collected("thinking"), signature: collected("signature") }];
    if (block.type === "redacted_thinking") return [block];
    if (block.type !== "tool_use") return [];
    const { id = "", name = "" } = block;
    return [{ type: "tool_use", id, name, input: argumentsObject(collected("partial_json")) }];
  });
}

function addUsage(
  usage: { inputTokens: number; outputTokens: number; cachedTokens: number },
  said: JsonObject,
): void {
  const cached = asCount(said.cache_read_input_tokens);
  const input = asCount(said.input_tokens) + cached + asCount(said.cache_creation_input_tokens);
  usage.inputTokens = Math.max(usage.inputTokens, input);
  usage.cachedTokens = Math.max(usage.cachedTokens, cached);
  usage.outputTokens = Math.max(usage.outputTokens, asCount(said.output_tokens));
}

/** The provider caches a prompt up to such a mark, so the next turn pays less for it. */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

function requestBody(model: string, { messages, system, tools = [], maxTokens }: ModelRequest): JsonObject {
  return {
    model,
    max_tokens: maxTokens ?? LIMITS.modelAnswerTokens,
    stream: true,
    ...(system !== undefined && { system: [{ type: "text", text: system, ...CACHED }] }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name: wireName(name),
        description,
        input_schema: inputSchema,
      })),
    }),
    messages: markLast(wireMessages(messages)),
  };
}

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** The roles have to take turns: the results of one turn and the text after them are one message. */
function wireMessages(messages: readonly ModelMessage[]): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = contentOf(message);
    if (content.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === role) wire[wire.length - 1] = { role, content: [...last.content, ...content] };
    else wire.push({ role, content });
  }
  return wire;
}

function contentOf(message: ModelMessage): JsonObject[] {
  if (message.role === "tool") return [toolResult(message)];
  if (message.role === "user") return message.content === "" ? [] : [{ type: "text", text: message.content }];
  return assistantContent(message);
}

function assistantContent({ content, calls, native }: AssistantMessage): JsonObject[] {
  if (native?.provider === "anthropic") {
    const blocks = asList(native.content);
    const ids = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    if (hasCalls(ids, calls)) return [...blocks];
  }
  return [
    ...(content === "" ? [] : [{ type: "text", text: content }]),
    ...calls.map(({ id, name, arguments: args }) => ({
      type: "tool_use",
      id,
      name: wireName(name),
      input: argumentsObject(args),
    })),
  ];
}

function toolResult({ callId, content, isError, images = [] }: ToolResultMessage): JsonObject {
  const pictures = images.map(({ mime, base64 }) => ({
    type: "image",
    source: { type: "base64", media_type: mime, data: base64 },
  }));
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: [{ type: "text", text: content === "" ? "(no output)" : content }, ...pictures],
    ...(isError && { is_error: true }),
  };
}

function markLast(messages: readonly WireMessage[]): JsonObject[] {
  return messages.map(({ role, content }, at) => {
    if (at < messages.length - 1 || role !== "user") return { role, content };
    return {
      role,
      content: content.map((block, n) => (n < content.length - 1 ? block : { ...block, ...CACHED })),
    };
  });
}

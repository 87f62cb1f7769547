// A conversation with a model, in the same words for every provider. The words of a wire stop in its adapter.
import type { HotcellError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";

export type ProviderName = "anthropic" | "openai" | "openai-responses" | "ollama" | "scripted";
export const PROVIDERS: readonly ProviderName[] = [
  "anthropic",
  "openai",
  "openai-responses",
  "ollama",
  "scripted",
];

export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage;

export interface UserMessage {
  readonly role: "user";
  readonly content: string;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly calls: readonly ModelCall[];
  /** The answer in the form of its wire, with thinking blocks and their signatures. Only the same provider gets it back. */
  readonly native?: { readonly provider: ProviderName; readonly content: Json };
}

export interface ToolResultMessage {
  readonly role: "tool";
  /** The `id` of the `ModelCall`. */
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  readonly images?: readonly ModelImage[];
}

export interface ModelImage {
  readonly mime: string;
  readonly base64: string;
}

/** A call as the model wrote it. */
export interface ModelCall {
  /** The provider's id. Unique within one answer. */
  readonly id: string;
  readonly name: string;
  /** JSON text, not parsed. */
  readonly arguments: string;
  /** False if the answer was cut off within this call. Such a call must never be executed. */
  readonly complete: boolean;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly system?: string;
  readonly tools?: readonly ModelTool[];
  /** The longest answer, in tokens. */
  readonly maxTokens?: number;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that the provider had cached. */
  readonly cachedTokens: number;
}

/**
 * Why an answer ended: `stop` by itself, `tool_calls` to call tools, `length` at a token limit, `pause` to be asked again,
 * `refusal` because the model or a filter refuses.
 */
export type StopReason = "stop" | "tool_calls" | "length" | "pause" | "refusal";

/** One piece of a streamed answer. `end` is the only sign of a finished answer; `error` is the other last chunk. */
export type ModelChunk = {
  /** Made by hotcell, the same for all chunks of an answer. */
  readonly messageId: string;
  /** Counts the chunks of an answer from 0. */
  readonly index: number;
} & ChunkBody;

export type ChunkBody =
  | { readonly type: "start"; readonly model: string }
  | { readonly type: "chunk"; readonly content: string }
  | { readonly type: "thinking"; readonly content: string }
  | { readonly type: "tool_call_start"; readonly toolId: string; readonly toolName: string }
  | { readonly type: "tool_call_delta"; readonly toolId: string; readonly content: string }
  | { readonly type: "tool_call_end"; readonly toolId: string; readonly complete: boolean }
  | {
      readonly type: "end";
      readonly stop: StopReason;
      readonly usage: ModelUsage;
      readonly message: AssistantMessage;
    }
  | {
      readonly type: "error";
      readonly error: HotcellError;
      /** What the answer had used by then, if the provider has said so. */
      readonly usage?: ModelUsage;
    };

export interface ModelProvider {
  readonly provider: ProviderName;
  readonly model: string;
  /** Streams one answer. Never throws: the last chunk is `end` or `error`. */
  sendMessage(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
  /** Throws MODEL_AUTH if the provider does not accept the key. */
  validateCredentials(signal: AbortSignal): Promise<void>;
  listModels(signal: AbortSignal): Promise<readonly string[]>;
  /** Whether the model calls tools itself; null if the provider does not say. Absent where no provider of the wire does. */
  supportsTools?(signal: AbortSignal): Promise<boolean | null>;
  close(): Promise<void>;
}

export interface ModelSettings {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** The longest silence of the provider, in milliseconds. */
  readonly idleMs: number;
  /** The longest time of one answer, in milliseconds. */
  readonly totalMs: number;
}

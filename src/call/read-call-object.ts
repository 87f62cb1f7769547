// Reads a call as a program has it: our own form, or the object that a provider's client gave.
import type { CallRequest } from "../core/types.ts";
import type { RawCall } from "./read-call-text.ts";

/** A call of a tool as OpenAI's, Anthropic's and Ollama's clients give it. */
export type ProviderCall =
  | OpenAIToolCall
  | OpenAICustomCall
  | OpenAIFunctionCall
  | AnthropicToolUse
  | OllamaToolCall;

/** A member of `message.tool_calls` of OpenAI's chat completions. */
export interface OpenAIToolCall {
  readonly type: "function";
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call of a custom tool. No tool of hotcell is one: such a call is refused. */
export interface OpenAICustomCall {
  readonly type: "custom";
  readonly id: string;
  readonly custom: { readonly name: string; readonly input: string };
}

/** A member of `output` of OpenAI's responses. */
export interface OpenAIFunctionCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  /** A call that is not `completed` was cut off, and is not run. */
  readonly status?: "in_progress" | "completed" | "incomplete";
}

/** A member of `content` of Anthropic's messages. */
export interface AnthropicToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A member of `message.tool_calls` of Ollama's chat. */
export interface OllamaToolCall {
  readonly function: { readonly name: string; readonly arguments: unknown };
}

export interface CallObject extends Omit<RawCall, "repairs"> {
  readonly truncated: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a call, unchecked. Reading a property may run a caller's getter, which may throw anything. */
export function readCallObject(request: CallRequest | ProviderCall): CallObject {
  const fields = request as unknown as Fields;
  const { id, name, arguments: given } = fields;
  const truncated = Boolean(fields.truncated);
  const inner = fields.function ?? fields.custom;
  if (typeof inner === "object" && inner !== null) {
    const called = inner as Fields;
    return { id, name: called.name, arguments: called.arguments ?? called.input, truncated };
  }
  if (fields.type === "tool_use") return { id, name, arguments: fields.input, truncated };
  if (fields.type !== "function_call") return { id, name, arguments: given, truncated };
  const isCut = fields.status !== undefined && fields.status !== "completed";
  return { id: fields.call_id, name, arguments: given, truncated: truncated || isCut };
}

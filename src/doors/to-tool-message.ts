// An observation as the message that a provider expects after a tool call.
import { isFailure, observationImage, observationText } from "../call/observation-text.ts";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { AnyObservation } from "../core/types.ts";
import type { ImageMime } from "../tools/coding/image-mime.ts";

/** The message with the result of a call, for each provider. */
export interface ToolMessages {
  /** For chat completions, which take no image from a tool. */
  readonly openai: OpenAIToolMessage;
  readonly "openai-responses": OpenAIFunctionOutput;
  readonly anthropic: AnthropicToolMessage;
  readonly ollama: OllamaToolMessage;
}

export type ToolMessageFormat = keyof ToolMessages;

export interface OpenAIToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** A member of `input` of the next request. */
export interface OpenAIFunctionOutput {
  type: "function_call_output";
  call_id: string;
  output: string | (ResponsesText | ResponsesImage)[];
}

export interface ResponsesText {
  type: "input_text";
  text: string;
}

export interface ResponsesImage {
  type: "input_image";
  image_url: string;
  detail: "auto";
}

/** The API joins messages of the user that follow each other, so each call may have its own. */
export interface AnthropicToolMessage {
  role: "user";
  content: AnthropicToolResult[];
}

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | (AnthropicText | AnthropicImage)[];
  is_error?: boolean;
}

export interface AnthropicText {
  type: "text";
  text: string;
}

export interface AnthropicImage {
  type: "image";
  source: { type: "base64"; media_type: ImageMime; data: string };
}

export interface OllamaToolMessage {
  role: "tool";
  tool_name?: string;
  content: string;
  images?: string[];
}

/**
 * The message to send back to the model after a call: short text, without hashes, ids and limits. An image that
 * `read_file` gave is image content where the provider takes one from a tool.
 * @example
 * messages.push(toToolMessage(await cell.call(toolCall), "openai"));
 */
export function toToolMessage<Format extends ToolMessageFormat>(
  observation: AnyObservation,
  format: Format,
): ToolMessages[Format] {
  const make = MAKE.get(format);
  if (typeof observation?.meta?.callId !== "string")
    throw new HotcellError(
      "INVALID_ARGUMENTS",
      `Could not make the message: expected an observation of cell.call, got ${quote(observation)}.`,
    );
  if (make !== undefined) return make(observation) as ToolMessages[Format];
  const allowed = [...MAKE.keys()].map(quote).join(", ");
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not make the message: the format is ${quote(format)}; allowed are ${allowed}.`,
  );
}

const MAKE: ReadonlyMap<string, (observation: AnyObservation) => ToolMessages[ToolMessageFormat]> = new Map<
  ToolMessageFormat,
  (observation: AnyObservation) => ToolMessages[ToolMessageFormat]
>([
  ["openai", openaiMessage],
  ["openai-responses", responsesOutput],
  ["anthropic", anthropicMessage],
  ["ollama", ollamaMessage],
]);

function openaiMessage(observation: AnyObservation): OpenAIToolMessage {
  const unseen = observationImage(observation) === null ? "" : "\n[This API takes no image from a tool.]";
  const content = observationText(observation) + unseen;
  return { role: "tool", tool_call_id: observation.meta.callId, content };
}

function responsesOutput(observation: AnyObservation): OpenAIFunctionOutput {
  const text = observationText(observation);
  const image = observationImage(observation);
  const url = image && `data:${image.mime};base64,${image.base64}`;
  return {
    type: "function_call_output",
    call_id: observation.meta.callId,
    output:
      url === null
        ? text
        : [
            { type: "input_text", text },
            { type: "input_image", image_url: url, detail: "auto" },
          ],
  };
}

function anthropicMessage(observation: AnyObservation): AnthropicToolMessage {
  const text = observationText(observation);
  const image = observationImage(observation);
  const result: AnthropicToolResult = {
    type: "tool_result",
    tool_use_id: observation.meta.callId,
    content:
      image === null
        ? text
        : [
            { type: "text", text },
            {
              type: "image",
              source: { type: "base64", media_type: image.mime as ImageMime, data: image.base64 },
            },
          ],
    ...(isFailure(observation) && { is_error: true }),
  };
  return { role: "user", content: [result] };
}

function ollamaMessage(observation: AnyObservation): OllamaToolMessage {
  const image = observationImage(observation);
  return {
    role: "tool",
    ...("tool" in observation && { tool_name: String(observation.tool) }),
    content: observationText(observation),
    ...(image !== null && { images: [image.base64] }),
  };
}

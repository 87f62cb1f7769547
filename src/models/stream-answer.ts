// Turns what an adapter reads from its wire into the chunks of one answer. Whatever goes wrong, the last chunk says so:
// an answer without the adapter's `end` is an error.
import { randomUUID } from "node:crypto";
import { HotcellError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { CallCollector } from "./collect-calls.ts";
import type { ChunkBody, ModelChunk, ModelUsage, ProviderName, StopReason } from "./model.ts";

export interface AnswerEnd {
  readonly type: "end";
  readonly stop: StopReason;
  readonly usage: ModelUsage;
  /** For the same provider, in the form of its wire. */
  readonly native?: Json;
}

/** What the answer has used so far: counts if it does not end. */
interface UsageSoFar {
  readonly type: "usage";
  readonly usage: ModelUsage;
}

type EarlierBody = Exclude<ChunkBody, { readonly type: "end" | "error" }>;

export type AnswerPart = EarlierBody | UsageSoFar | AnswerEnd;

export interface AnswerSource {
  readonly provider: ProviderName;
  readonly host: string;
  /** Removes the key from the message of an error; not needed without a key. */
  readonly hideKey?: (text: string) => string;
  readonly calls: CallCollector;
  readonly parts: AsyncIterable<AnswerPart>;
}

export async function* streamAnswer(
  { provider, host, hideKey = (text) => text, calls, parts }: AnswerSource,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const messageId = `msg_${randomUUID()}`;
  const text: string[] = [];
  let index = 0;
  let used: { readonly usage?: ModelUsage } = {};
  const chunk = (body: ChunkBody): ModelChunk => ({ messageId, index: index++, ...body });
  try {
    for await (const part of parts) {
      if (part.type === "usage" || part.type === "end") used = { usage: part.usage };
      if (signal.aborted) throw cancelled(host);
      if (part.type === "chunk") text.push(part.content);
      if (part.type === "usage") continue;
      if (part.type !== "end") {
        yield chunk(part);
        continue;
      }
      const { stop, usage, native } = part;
      const kept = native === undefined ? {} : { native: { provider, content: native } };
      const message = { role: "assistant", content: text.join(""), calls: calls.calls(), ...kept } as const;
      yield chunk({ type: "end", stop, usage, message });
      return;
    }
    throw new HotcellError("MODEL_STREAM_CUT", `${host} ended its answer before it was complete.`);
  } catch (error) {
    const { code, message, details } = asHotcellError(error, host, signal);
    yield chunk({ type: "error", error: new HotcellError(code, hideKey(message), details), ...used });
  }
}

function cancelled(host: string): HotcellError {
  return new HotcellError("CANCELLED", `The request to ${host} was cancelled.`);
}

function asHotcellError(error: unknown, host: string, signal: AbortSignal): HotcellError {
  if (signal.aborted) return cancelled(host);
  if (error instanceof HotcellError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new HotcellError("INTERNAL_ERROR", `Could not read the answer of ${host}: ${reason}.`);
}

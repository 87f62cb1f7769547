// Reads values of a provider's answer, which may have any form.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { ModelCall, ModelMessage, ModelUsage, ProviderName } from "./model.ts";

export const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
export const asText = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const asList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
export const asCount = (value: Json | undefined): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

export const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** Arguments as the object that some wires want in a transcript. A call with other arguments has failed anyway. */
export function argumentsObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text) as Json);
  } catch {
    return {};
  }
}

/** Whether an answer has nothing for this provider, as one that only thought at another. Some servers refuse it. */
export function saysNothing(message: ModelMessage, provider: ProviderName): boolean {
  if (message.role !== "assistant" || message.native?.provider === provider) return false;
  return message.content === "" && message.calls.length === 0;
}

/** Whether a wire's own form of an answer has exactly its calls: a provider may repeat an id, or leave out what it cut. */
export function hasCalls(ids: readonly (Json | undefined)[], calls: readonly ModelCall[]): boolean {
  return ids.length === calls.length && calls.every(({ id }, at) => ids[at] === id);
}

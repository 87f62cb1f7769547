// JSON Schemas of what the API takes and gives, shared by its routes.
import type { Json, JsonObject } from "../../core/json.ts";

export const text: JsonObject = { type: "string" };
export const count: JsonObject = { type: "integer", minimum: 0 };
export const flag: JsonObject = { type: "boolean" };
export const anything: JsonObject = {};
export const orNull = ({ type, ...schema }: JsonObject): JsonObject => ({
  ...schema,
  type: [...[type as Json].flat(), "null"] as Json,
});
export const listOf = (items: JsonObject): JsonObject => ({ type: "array", items });
export const oneOf = (...values: readonly string[]): JsonObject => ({ type: "string", enum: values });

/** What a client sends: nothing but these properties. */
export function given(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

/** What the server answers: these properties, and those in `maybe` if they apply. Later versions may add others. */
export function gives(properties: JsonObject, maybe: JsonObject = {}): JsonObject {
  return { type: "object", properties: { ...properties, ...maybe }, required: Object.keys(properties) };
}

export const digits: JsonObject = { type: "string", pattern: "^[0-9]{1,15}$" };
export const paths: JsonObject = { type: "array", items: text, maxItems: 10_000 };

export const problem = gives({ error: gives({ code: text, message: text }) });

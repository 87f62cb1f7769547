import { toUSVString } from "node:util";
import { argumentPath } from "../core/argument-path.ts";
import type { Json } from "../core/json.ts";
import { quote } from "../core/quote.ts";

/** What can't be kept exactly as it was sent, in words: it would be run, logged or written as something else. */
export function unfaithfulValues(value: Json, keys: readonly (string | number)[] = []): string[] {
  if (typeof value === "string")
    return isWellFormed(value) ? [] : [`${argumentPath(keys)}: ${HALF_CHARACTER}`];
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return [`${argumentPath(keys)}: ${quote(value)} is beyond 2^53, where numbers lose digits`];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerKeys = [...keys, Array.isArray(value) ? Number(key) : key];
    const own = isWellFormed(key) ? [] : [`the key ${argumentPath(innerKeys)}: ${HALF_CHARACTER}`];
    return [...own, ...unfaithfulValues(inner, innerKeys)];
  });
}

const HALF_CHARACTER = "the text holds an unpaired surrogate, which has no bytes in UTF-8";

function isWellFormed(text: string): boolean {
  return toUSVString(text) === text;
}

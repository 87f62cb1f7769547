import { toUSVString } from "node:util";
import { argumentPath } from "../core/argument-path.ts";
import type { Json } from "../core/json.ts";
import { quote } from "../core/quote.ts";

/** Describes the values that hotcell cannot keep exactly: it would run, log or write another value. */
export function findUnfaithfulValues(value: Json, keys: readonly (string | number)[] = []): string[] {
  if (typeof value === "string")
    return isWellFormed(value) ? [] : [`${argumentPath(keys)}: ${HALF_CHARACTER}`];
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return [`${argumentPath(keys)}: ${quote(value)} is beyond 2^53, so it would lose digits`];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerKeys = [...keys, Array.isArray(value) ? Number(key) : key];
    const own = isWellFormed(key) ? [] : [`the key ${argumentPath(innerKeys)}: ${HALF_CHARACTER}`];
    return [...own, ...findUnfaithfulValues(inner, innerKeys)];
  });
}

const HALF_CHARACTER = "the text contains an unpaired surrogate, which has no bytes in UTF-8";

function isWellFormed(text: string): boolean {
  return toUSVString(text) === text;
}

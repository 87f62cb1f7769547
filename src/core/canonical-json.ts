import { hash } from "node:crypto";
import type { Json } from "./json.ts";

/**
 * The canonical text of a JSON value by RFC 8785: no whitespace, keys sorted by UTF-16 code units.
 * Unlike the RFC, it accepts unpaired surrogates and writes them as escapes.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}

/** SHA-256 of the canonical text, in hex: equal for equal values, whatever the order of their keys. */
export function digest(value: Json): string {
  return hash("sha256", canonicalJson(value), "hex");
}

// Array.isArray does not narrow readonly arrays out of a union.
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

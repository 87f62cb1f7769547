// Writes JSON values as YAML that every parser reads as the same value, also parsers of YAML 1.1 with its dates and `yes`.
import { isJsonObject, type Json } from "../../core/json.ts";

const PLAIN = /^\p{L}[\p{L}\p{N}_./@-]*(?: [\p{L}\p{N}_./@-]+)*$/u;
/** Some parsers read an exponent alone as a number. */
const NOT_A_STRING = /^(?:true|false|null|yes|no|on|off|y|n|e[-\d]\d*)$/i;
/** Characters that JSON does not escape, but YAML must. */
const NOT_PRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;
const INDENT = "  ";

/** On one line, valid in a flow collection. */
export function flowText(value: Json): string {
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`;
  if (isJsonObject(value)) return `{${Object.entries(value).map(memberText).join(", ")}}`;
  return typeof value === "string" ? stringText(value) : JSON.stringify(value);
}

export function memberText([key, value]: readonly [string, Json]): string {
  return `${stringText(key)}: ${flowText(value)}`;
}

/** The lines of a block collection; one line for a scalar or an empty collection. */
export function blockLines(value: Json): string[] {
  if (isList(value) && value.length > 0) return value.flatMap(itemLines);
  if (isJsonObject(value) && Object.keys(value).length > 0) return Object.entries(value).flatMap(memberLines);
  return [flowText(value)];
}

export function itemLines(value: Json): string[] {
  return blockLines(value).map((line, index) => (index === 0 ? `- ${line}` : INDENT + line));
}

export function memberLines(member: readonly [string, Json]): string[] {
  const [key, value] = member;
  const isBlock = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isBlock) return [memberText(member)];
  return [`${stringText(key)}:`, ...indentLines(blockLines(value))];
}

export function indentLines(lines: readonly string[], indent: string = INDENT): string[] {
  return lines.map((line) => indent + line);
}

function stringText(text: string): string {
  if (PLAIN.test(text) && !NOT_A_STRING.test(text)) return text;
  return JSON.stringify(text).replace(NOT_PRINTABLE, escapeChar);
}

function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// Array.isArray does not narrow readonly arrays out of a union.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

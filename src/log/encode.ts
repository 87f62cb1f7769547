// Turns any value into bounded, inert JSON text for the log. It never throws, runs no code of the value
// (no toJSON, no getters), and gives sizes, hashes and short previews where a value may be file content.
import { hash } from "node:crypto";
import { LIMITS } from "../core/limits.ts";
import { namesCredential, REDACTED, type Redactor } from "./redact.ts";

/** What a string is taken for, by the key it stands under. */
type Nature = "plain" | "content" | "credential";

interface Walk {
  readonly redactor: Redactor;
  leftBytes: number;
}

/** Keys whose strings are what a file or a process holds, in any toolset's shape. */
const CONTENT_KEYS: ReadonlySet<string> = new Set([
  "content",
  "contentpreview",
  "stdout",
  "stderr",
  "text",
  "old",
  "new",
  "body",
  "before",
  "after",
  "output",
]);

export function encodeValue(value: unknown, redactor: Redactor): string {
  return encodeNode(value, { redactor, leftBytes: LIMITS.maxLoggedValueBytes }, "plain", 0);
}

/** A text that stays one string: names, ids, keys. */
export function encodeName(text: string, redactor: Redactor): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.maxLoggedStringBytes) return quote(redactor.redact(text));
  const preview = redactor.preview(text, LIMITS.logPreviewChars);
  return quote(`${preview}[${bytes} bytes, sha256 ${sha256(text)}]`);
}

export function encodeStack(stack: string, redactor: Redactor): string {
  return quote(redactor.preview(stack, LIMITS.maxLoggedStackChars));
}

// Controls, format characters (bidirectional, zero-width, tags), line separators, selectors without a glyph.
const NOT_INERT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/gu;

/** JSON text of a string that does nothing to a terminal that shows it. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(NOT_INERT, escapeUnits);
}

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

function encodeNode(value: unknown, walk: Walk, nature: Nature, depth: number): string {
  try {
    if (typeof value === "object" && value !== null) return encodeObject(value, walk, nature, depth);
    return spend(walk, encodeLeaf(value, walk.redactor, nature));
  } catch {
    return quote("[unreadable]");
  }
}

function spend(walk: Walk, text: string): string {
  walk.leftBytes -= Buffer.byteLength(text) + 1;
  return text;
}

function encodeLeaf(value: unknown, redactor: Redactor, nature: Nature): string {
  switch (typeof value) {
    case "string":
      return encodeString(value, redactor, nature);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : quote(String(value));
    case "boolean":
      return String(value);
    case "bigint":
      // Writing out a huge one takes time that grows with its square.
      return quote(BigInt.asIntN(64, value) === value ? String(value) : "[bigint]");
    case "function":
    case "symbol":
      return quote(`[${typeof value}]`);
    default:
      return "null";
  }
}

function encodeString(text: string, redactor: Redactor, nature: Nature): string {
  if (nature === "credential") return quote(REDACTED);
  const bytes = Buffer.byteLength(text);
  if (nature === "plain" && bytes <= LIMITS.maxLoggedStringBytes) return quote(redactor.redact(text));
  const preview = quote(redactor.preview(text, LIMITS.logPreviewChars));
  return `{"bytes":${bytes},"sha256":"${sha256(text)}","preview":${preview}}`;
}

function encodeObject(value: object, walk: Walk, nature: Nature, depth: number): string {
  if (ArrayBuffer.isView(value)) return spend(walk, encodeBytes(value));
  if (depth === LIMITS.maxLoggedDepth) return spend(walk, quote("[deeper]"));
  return Array.isArray(value)
    ? encodeArray(value, walk, nature, depth)
    : encodeMembers(value, walk, nature, depth);
}

function encodeBytes(view: ArrayBufferView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return `{"bytes":${bytes.length},"sha256":"${sha256(bytes)}"}`;
}

function encodeArray(array: readonly unknown[], walk: Walk, nature: Nature, depth: number): string {
  const items: string[] = [];
  for (let at = 0; at < array.length; at++) {
    if (at === LIMITS.maxLoggedItems || walk.leftBytes <= 0) {
      items.push(quote(`[${array.length - at} more]`));
      break;
    }
    items.push(encodeNode(plainProperty(array, String(at)), walk, nature, depth + 1));
  }
  return `[${items.join(",")}]`;
}

function encodeMembers(object: object, walk: Walk, nature: Nature, depth: number): string {
  const keys = Object.keys(object);
  const members: string[] = [];
  for (const [at, key] of keys.entries()) {
    if (at === LIMITS.maxLoggedItems || walk.leftBytes <= 0) {
      members.push(`${quote("[more]")}:${keys.length - at}`);
      break;
    }
    const name = spend(walk, encodeName(key, walk.redactor));
    members.push(`${name}:${encodeNode(plainProperty(object, key), walk, natureOf(key, nature), depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

function natureOf(key: string, around: Nature): Nature {
  if (around === "credential" || namesCredential(key)) return "credential";
  return CONTENT_KEYS.has(key.toLowerCase()) ? "content" : "plain";
}

function plainProperty(object: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key);
  return property === undefined || "value" in property ? property?.value : "[getter]";
}

function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

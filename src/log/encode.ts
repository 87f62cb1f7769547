// Encodes any value as bounded, inert JSON text for the log. It never throws and runs no code of the value (no toJSON, no
// getters). If a value may be file content, it writes the size, a hash and a short preview.
import { hash } from "node:crypto";
import { inertJson } from "../core/inert-json.ts";
import { LIMITS } from "../core/limits.ts";
import { namesCredential, REDACTED, type Redactor } from "./redact.ts";

/** How a string is treated, by its key. */
type Nature = "plain" | "content" | "credential" | "path";

interface Walk {
  readonly redactor: Redactor;
  /** A cache of the keys so far; all calls together have few different ones. */
  readonly keys: Map<string, Key>;
  leftBytes: number;
}

interface Key {
  readonly text: string;
  readonly nature: Nature;
}

/** Keys with file content or process output, in the shapes of all toolsets. */
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

const PATH_KEYS: ReadonlySet<string> = new Set(["path", "from", "to", "cwd"]);

/** The size of the key cache; our own tools have far fewer keys. */
const MAX_KNOWN_KEYS = 1000;
const MAX_KNOWN_KEY_CHARS = 64;

export interface Encoder {
  value(value: unknown): string;
  /** Encodes a text as one string: names, ids, keys. */
  name(text: string): string;
  /** The same, cached for repeated texts: a tool, an agent, a rule. */
  word(text: string): string;
  /** Encodes the stack of a thrown value, which may not be a string. */
  stack(stack: unknown): string;
}

export function createEncoder(redactor: Redactor): Encoder {
  const keys = new Map<string, Key>();
  const encodeValue = (value: unknown) =>
    encodeNode(value, { redactor, keys, leftBytes: LIMITS.maxLoggedValueBytes }, "plain", 0);
  return {
    value: encodeValue,
    name: (text) => encodeName(text, redactor),
    word: (text) => keyOf(text, { keys, redactor }).text,
    stack(stack) {
      if (typeof stack !== "string") return encodeValue(stack);
      return inertJson(redactor.preview(stack, LIMITS.maxLoggedStackChars));
    },
  };
}

function encodeName(text: string, redactor: Redactor): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.maxLoggedStringBytes) return inertJson(redactor.redact(text));
  const preview = redactor.preview(text, LIMITS.logPreviewChars);
  return inertJson(`${preview}[${bytes} bytes, sha256 ${sha256(text)}]`);
}

function encodeNode(value: unknown, walk: Walk, nature: Nature, depth: number): string {
  try {
    if (typeof value === "object" && value !== null) return encodeObject(value, walk, nature, depth);
    return spend(walk, encodeLeaf(value, walk.redactor, nature));
  } catch {
    return spend(walk, inertJson("[unreadable]"));
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
      if (redactor.isSecret(String(value))) return inertJson(REDACTED);
      return Number.isFinite(value) ? JSON.stringify(value) : inertJson(String(value));
    case "boolean":
      return String(value);
    case "bigint":
      // Converting a huge bigint to text takes quadratic time.
      return inertJson(BigInt.asIntN(64, value) === value ? redactor.redact(String(value)) : "[bigint]");
    case "function":
    case "symbol":
      return inertJson(`[${typeof value}]`);
    default:
      return "null";
  }
}

function encodeString(text: string, redactor: Redactor, nature: Nature): string {
  if (nature === "credential") return inertJson(REDACTED);
  const bytes = Buffer.byteLength(text);
  const { redact, preview: cut } = nature === "path" && isPathLike(text) ? redactor.exact : redactor;
  if (nature !== "content" && bytes <= LIMITS.maxLoggedStringBytes) return inertJson(redact(text));
  const preview = inertJson(cut(text, LIMITS.logPreviewChars));
  return `{"bytes":${bytes},"sha256":"${sha256(text)}","preview":${preview}}`;
}

/** Redaction must not hide a path like "pwd=x", which shows the target of a call. A URL may contain a real password. */
function isPathLike(text: string): boolean {
  return !text.includes("://");
}

function encodeObject(value: object, walk: Walk, nature: Nature, depth: number): string {
  if (ArrayBuffer.isView(value)) return spend(walk, encodeBytes(value));
  if (depth === LIMITS.maxLoggedDepth) return spend(walk, inertJson("[deeper]"));
  spend(walk, "{}");
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
      items.push(inertJson(`[${array.length - at} more]`));
      break;
    }
    items.push(encodeNode(plainProperty(array, String(at)), walk, nature, depth + 1));
  }
  return `[${items.join(",")}]`;
}

function encodeMembers(object: object, walk: Walk, nature: Nature, depth: number): string {
  const keys = Object.keys(object);
  const members: string[] = [];
  for (let at = 0; at < keys.length; at++) {
    if (at === LIMITS.maxLoggedMembers || walk.leftBytes <= 0) {
      members.push(`${inertJson("[more]")}:${keys.length - at}`);
      break;
    }
    const key = keys[at]!;
    const known = keyOf(key, walk);
    const inner = nature === "credential" ? nature : known.nature;
    const name = spend(walk, known.text);
    members.push(`${name}:${encodeNode(plainProperty(object, key), walk, inner, depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

function keyOf(key: string, { keys, redactor }: Pick<Walk, "keys" | "redactor">): Key {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const met = { text: encodeName(key, redactor), nature: natureOf(key) };
  if (keys.size < MAX_KNOWN_KEYS && key.length <= MAX_KNOWN_KEY_CHARS) keys.set(key, met);
  return met;
}

function natureOf(key: string): Nature {
  if (namesCredential(key)) return "credential";
  if (CONTENT_KEYS.has(key.toLowerCase())) return "content";
  return PATH_KEYS.has(key.toLowerCase()) ? "path" : "plain";
}

function plainProperty(object: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key);
  return property === undefined || "value" in property ? property?.value : "[getter]";
}

function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

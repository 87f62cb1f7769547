// The values of a session by key, for programs and tools: JSON within limits.
import { checkJsonValue } from "../../core/check-json-value.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseJson } from "../../core/parse-json.ts";
import { quote } from "../../core/quote.ts";
import { type KeyValueStore, type StoredValue, storedBytes } from "./key-value-store.ts";

export interface KeyValue<Value = Json> {
  readonly key: string;
  readonly value: Value;
}

/** Values of a session by key. They are JSON, and are kept with the session. A rewind, a discard or a commit does not change them. */
export interface KeyValues {
  /** Undefined if there is none. */
  get<Value = Json>(key: string): Promise<Value | undefined>;
  /** Adds or replaces. The value must be JSON. Returns whether the key is new. */
  set(key: string, value: unknown): Promise<boolean>;
  /** Returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /**
   * The values whose key begins with the prefix, in the order of their keys.
   * @default all values
   */
  list<Value = Json>(prefix?: string): Promise<KeyValue<Value>[]>;
}

const { maxKeyBytes, maxValueBytes, maxCount, maxBytes } = LIMITS.kv;

/** `follow` is called after each change. */
export function createKeyValues(store: KeyValueStore, follow: () => Promise<void>): KeyValues {
  return {
    async get(key) {
      checkKey(key);
      const found = store.get(key);
      return found && parsedValue(found);
    },
    async set(key, value) {
      checkKey(key);
      const now = Math.floor(Date.now() / 1000);
      const old = store.get(key);
      const next = { key, text: textOf(key, value), createdAt: old?.createdAt ?? now, updatedAt: now };
      checkRoom(store, old, next);
      store.put(next);
      await follow();
      return old === undefined;
    },
    async delete(key) {
      checkKey(key);
      if (!store.delete(key)) return false;
      await follow();
      return true;
    },
    async list(prefix = "") {
      return store.list(prefix).map((found) => ({ key: found.key, value: parsedValue(found) }));
    },
  };
}

/** Why a key or the text of a value cannot be kept; null if it can. */
export function problemOf({ key, text }: Pick<StoredValue, "key" | "text">): string | null {
  const keyProblem = problemOfKey(key);
  if (keyProblem !== null) return keyProblem;
  if (Buffer.byteLength(text) > maxValueBytes) return `its value has more than ${maxValueBytes} bytes`;
  try {
    parseJson(text);
    return null;
  } catch {
    return "its value is not JSON";
  }
}

/** Whether values fit together with others. */
export function hasRoom(usage: { readonly count: number; readonly bytes: number }): boolean {
  return usage.count <= maxCount && usage.bytes <= maxBytes;
}

function problemOfKey(key: string): string | null {
  if (typeof key !== "string" || key === "") return "a key is text with at least one character";
  if (Buffer.byteLength(key) > maxKeyBytes) return `a key has at most ${maxKeyBytes} bytes`;
  // SQLite and AgentFS could not keep it.
  return /[\0\uD800-\uDFFF]/u.test(key) ? "a key has no NUL and no half of a character" : null;
}

function checkKey(key: string): void {
  const problem = problemOfKey(key);
  if (problem !== null)
    throw new HotcellError("INVALID_ARGUMENTS", `Could not use the key ${quote(key)}: ${problem}.`);
}

function textOf(key: string, value: unknown): string {
  const text = JSON.stringify(checkJsonValue({ value }).value);
  if (Buffer.byteLength(text) <= maxValueBytes) return text;
  throw tooLarge(key, `its value has more than ${maxValueBytes} bytes as JSON. Write it to a file.`);
}

function checkRoom(store: KeyValueStore, old: StoredValue | undefined, next: StoredValue): void {
  const { count, bytes } = store.usage();
  const after = {
    count: count + (old === undefined ? 1 : 0),
    bytes: bytes - (old === undefined ? 0 : storedBytes(old)) + storedBytes(next),
  };
  if (hasRoom(after)) return;
  throw tooLarge(
    next.key,
    `a session has at most ${maxCount} keys, and ${maxBytes} bytes of keys and values. Delete some.`,
  );
}

function tooLarge(key: string, reason: string): HotcellError {
  return new HotcellError("WRITE_TOO_LARGE", `Could not set the key ${quote(key)}: ${reason}`);
}

function parsedValue<Value>({ text }: StoredValue): Value {
  return parseJson(text) as Value;
}

// Checks arguments that a program passes as an object. It refuses values that JSON cannot represent exactly, and values
// that run code when they are read.
import { types } from "node:util";
import { argumentPath } from "./argument-path.ts";
import { HotcellError } from "./errors.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { reachesPrototype } from "./parse-json.ts";
import { quote } from "./quote.ts";

type Key = string | number;

/** An object or array and its path. The arguments themselves have no parent and no key. */
interface Place {
  readonly value: object;
  readonly key: Key;
  readonly parent: Place | null;
  readonly depth: number;
}

interface Spent {
  bytes: number;
  entries: number;
}

/** Returns a deeply frozen plain copy; throws INVALID_ARGUMENTS with the path and the reason. */
export function checkJsonValue(value: unknown): JsonObject {
  measureJsonValue(value);
  return frozenCopy(value as JsonObject);
}

/** Throws the same errors; returns an upper bound for the length of the value's JSON text. */
export function measureJsonValue(value: unknown): number {
  const spent = { bytes: 0, entries: 0 };
  checkValue(value, "", null, spent);
  if (!isJsonObject(value)) throw refused([], `expected an object, got ${quote(value)}`);
  return spent.bytes * ESCAPED_CHARS + spent.entries * ENTRY_CHARS;
}

/** An escaped character in JSON: `\u001f`. */
const ESCAPED_CHARS = 6;
/** The longest number, and the punctuation around a value or a key. */
const ENTRY_CHARS = 32;

// No part of a checked value runs code, so the value has not changed since the check.
function frozenCopy<T extends Json>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = frozenCopy(inner);
  return Object.freeze(copy) as T;
}

function checkValue(value: unknown, key: Key, parent: Place | null, spent: Spent): void {
  spend(spent, typeof value === "string" ? Buffer.byteLength(value) : 1);
  if (value === null || typeof value === "boolean" || typeof value === "string") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object")
    throw refused(wayTo(key, parent), `${quote(value)} can't be written as JSON`);
  const place: Place = { value, key, parent, depth: parent === null ? 0 : parent.depth + 1 };
  refuseDepthAndCycle(place);
  if (isPlainArray(value)) checkArray(value, place, spent);
  else checkObject(value, place, spent);
}

function spend(spent: Spent, bytes: number): void {
  spent.bytes += bytes;
  spent.entries += 1;
  if (spent.bytes <= LIMITS.maxCallBytes && spent.entries <= LIMITS.maxCallEntries) return;
  throw refused([], `more than ${LIMITS.maxCallBytes} bytes or ${LIMITS.maxCallEntries} entries. Send less`);
}

function refuseDepthAndCycle({ value, key, parent, depth }: Place): void {
  for (let above = parent; above; above = above.parent) {
    if (above.value === value) throw refused(wayTo(key, parent), "it contains itself");
  }
  if (depth >= LIMITS.maxCallDepth) throw refused([], `nested deeper than ${LIMITS.maxCallDepth} levels`);
}

// Reads no property of a proxy, because its traps would run.
function isPlainArray(value: object): value is unknown[] {
  return !types.isProxy(value) && Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
}

function isPlainObject(value: object): boolean {
  if (types.isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function checkArray(array: unknown[], place: Place, spent: Spent): void {
  if (Reflect.ownKeys(array).length !== array.length + 1) {
    throw refused(keysOf(place), "an array with holes or named properties can't be written as JSON");
  }
  for (let index = 0; index < array.length; index++) checkProperty(place, index, spent);
}

function checkObject(object: object, place: Place, spent: Spent): void {
  if (!isPlainObject(object))
    throw refused(keysOf(place), "only plain objects and arrays can be written as JSON");
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") throw refused(keysOf(place), "a symbol as key can't be written as JSON");
    if (reachesPrototype(key, place.parent === null ? undefined : place.key))
      throw refused(wayTo(key, place), "this key is not allowed");
    spend(spent, Buffer.byteLength(key));
    checkProperty(place, key, spent);
  }
}

function checkProperty(place: Place, key: Key, spent: Spent): void {
  const property = Object.getOwnPropertyDescriptor(place.value, key);
  if (!property?.enumerable || !("value" in property)) {
    throw refused(wayTo(key, place), "a getter or hidden property can't be written as JSON");
  }
  checkValue(property.value, key, place, spent);
}

function wayTo(key: Key, parent: Place | null): Key[] {
  return parent === null ? [] : [...keysOf(parent), key];
}

function keysOf({ key, parent }: Place): Key[] {
  return wayTo(key, parent);
}

function refused(keys: readonly Key[], reason: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not take ${argumentPath(keys)}: ${reason}.`);
}

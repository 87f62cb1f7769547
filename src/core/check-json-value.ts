// Arguments that library code hands in as an object: what can't be written as JSON and read back the same,
// or what runs code when it is read, is refused.
import { types } from "node:util";
import { argumentPath } from "./argument-path.ts";
import { HotcellError } from "./errors.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { reachesPrototype } from "./parse-json.ts";
import { quote } from "./quote.ts";

type Key = string | number;

/** An object or array, and the way to it: the arguments themselves have no parent. */
interface Place {
  readonly value: object;
  readonly keys: readonly Key[];
  readonly parent: Place | null;
}

interface Spent {
  bytes: number;
  entries: number;
}

/** Returns a deeply frozen plain copy; throws INVALID_ARGUMENTS with the path and the reason. */
export function checkJsonValue(value: unknown): JsonObject {
  const copy = copyValue(value, [], null, { bytes: 0, entries: 0 });
  if (!isJsonObject(copy)) throw refused([], `expected an object, got ${quote(copy)}`);
  return copy;
}

function copyValue(value: unknown, keys: readonly Key[], parent: Place | null, spent: Spent): Json {
  spend(spent, typeof value === "string" ? Buffer.byteLength(value) : 1);
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object") throw refused(keys, `${quote(value)} can't be written as JSON`);
  const place: Place = { value, keys, parent };
  refuseDepthAndCycle(place);
  return Object.freeze(
    isPlainArray(value) ? copyArray(value, place, spent) : copyObject(value, place, spent),
  );
}

function spend(spent: Spent, bytes: number): void {
  spent.bytes += bytes;
  spent.entries += 1;
  if (spent.bytes <= LIMITS.maxCallBytes && spent.entries <= LIMITS.maxCallEntries) return;
  throw refused([], `more than ${LIMITS.maxCallBytes} bytes or ${LIMITS.maxCallEntries} entries. Send less`);
}

function refuseDepthAndCycle({ value, keys, parent }: Place): void {
  for (let above = parent; above; above = above.parent) {
    if (above.value === value) throw refused(keys, "it contains itself");
  }
  if (keys.length >= LIMITS.maxCallDepth)
    throw refused([], `nested deeper than ${LIMITS.maxCallDepth} levels`);
}

// Nothing is asked of a proxy: its traps would run.
function isPlainArray(value: object): value is unknown[] {
  return !types.isProxy(value) && Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
}

function isPlainObject(value: object): boolean {
  if (types.isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyArray(array: unknown[], place: Place, spent: Spent): Json[] {
  if (Reflect.ownKeys(array).length !== array.length + 1) {
    throw refused(place.keys, "an array with holes or named properties can't be written as JSON");
  }
  return Array.from(array.keys(), (index) => copyProperty(place, index, spent));
}

function copyObject(object: object, place: Place, spent: Spent): JsonObject {
  if (!isPlainObject(object))
    throw refused(place.keys, "only plain objects and arrays can be written as JSON");
  const copy: Record<string, Json> = {};
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") throw refused(place.keys, "a symbol as key can't be written as JSON");
    if (reachesPrototype(key, place.keys.at(-1)))
      throw refused([...place.keys, key], "this key is not allowed");
    spend(spent, Buffer.byteLength(key));
    copy[key] = copyProperty(place, key, spent);
  }
  return copy;
}

function copyProperty(place: Place, key: Key, spent: Spent): Json {
  const keys = [...place.keys, key];
  const property = Object.getOwnPropertyDescriptor(place.value, key);
  if (!property?.enumerable || !("value" in property)) {
    throw refused(keys, "a getter or hidden property can't be written as JSON");
  }
  return copyValue(property.value, keys, place, spent);
}

function refused(keys: readonly Key[], reason: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not take ${argumentPath(keys)}: ${reason}.`);
}

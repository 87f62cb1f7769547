// Lossless repairs of arguments, if the schema leaves one interpretation. Each repair is reported.
import { argumentPath } from "../core/argument-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { parseJson } from "../core/parse-json.ts";
import { quote } from "../core/quote.ts";

type Keys = readonly (string | number)[];

const MAX_REPAIRS_TOLD = 10;

export interface Repaired {
  readonly arguments: JsonObject;
  readonly repairs: readonly string[];
}

export function repairArguments(schema: JsonObject, args: JsonObject): Repaired {
  const repairs: string[] = [];
  const repaired = repairMembers(schema, args, [], repairs);
  return { arguments: repaired, repairs: shortened(repairs) };
}

function shortened(repairs: readonly string[]): readonly string[] {
  const rest = repairs.length - MAX_REPAIRS_TOLD;
  return rest > 0
    ? [...repairs.slice(0, MAX_REPAIRS_TOLD), `Made ${rest} more repairs of this kind.`]
    : repairs;
}

function repairMembers(schema: JsonObject, object: JsonObject, keys: Keys, repairs: string[]): JsonObject {
  const members: [string, Json][] = [];
  for (const [key, value] of Object.entries(object)) {
    const inner = [...keys, key];
    const innerSchema = propertySchema(schema, key);
    if (value === null && mayBeAbsent(schema, key) && !takesNull(innerSchema)) {
      repairs.push(`Left out ${argumentPath(inner)}: it was null.`);
    } else {
      members.push([key, repairValue(innerSchema, value, inner, repairs)]);
    }
  }
  return Object.fromEntries(members);
}

function propertySchema({ properties }: JsonObject, key: string): JsonObject {
  const schema = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(schema) ? schema : {};
}

function mayBeAbsent({ required }: JsonObject, key: string): boolean {
  return !Array.isArray(required) || !required.includes(key);
}

function takesNull(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.includes("null") || schema.nullable === true;
}

function typesOf({ type }: JsonObject): readonly Json[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function repairValue(schema: JsonObject, value: Json, keys: Keys, repairs: string[]): Json {
  const decoded = typeof value === "string" ? decodeText(typesOf(schema), value) : value;
  if (decoded !== value) {
    repairs.push(`Converted the text ${quote(value)} in ${argumentPath(keys)} to ${kindOf(decoded)}.`);
  }
  if (isJsonObject(decoded)) return repairMembers(schema, decoded, keys, repairs);
  if (!Array.isArray(decoded) || !isJsonObject(schema.items)) return decoded;
  const items = schema.items;
  return decoded.map((item, index) => repairValue(items, item, [...keys, index], repairs));
}

function decodeText(types: readonly Json[], text: string): Json {
  if (types.includes("string")) return text;
  const found = types.map((type) => DECODE[type as string]?.(text)).find((value) => value !== undefined);
  return found === undefined ? text : found;
}

const DECODE: Readonly<Record<string, (text: string) => Json | undefined>> = {
  boolean: (text) => (text === "true" || text === "false" ? text === "true" : undefined),
  integer: (text) => decodeNumber(text, Number.isSafeInteger),
  number: (text) => decodeNumber(text, Number.isFinite),
  object: (text) => decodeJson(text, isJsonObject),
  array: (text) => decodeJson(text, Array.isArray),
};

function decodeNumber(text: string, accepts: (value: number) => boolean): number | undefined {
  const value = Number(text);
  return String(value) === text && accepts(value) ? value : undefined;
}

function decodeJson(text: string, accepts: (value: Json) => boolean): Json | undefined {
  try {
    const value = parseJson(text);
    return accepts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function kindOf(value: Json): string {
  return typeof value === "object" ? quote(value) : `the ${typeof value} ${quote(value)}`;
}

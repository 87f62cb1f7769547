import { isJsonObject, type JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { quote } from "../core/quote.ts";
import type { Schema } from "./schema.ts";

/** The first violation of the schema in a value. */
export interface Fault {
  readonly path: readonly (string | number)[];
  /** `is "docker"; allowed are "builtin" and "wasm"`. */
  readonly problem: string;
}

/** In an object from a program, a key with the value undefined counts as omitted. */
export function findFault(value: unknown, schema: Schema, path: Fault["path"] = []): Fault | null {
  if (!fits(value, schema)) return { path, problem: `is ${quote(value)}; ${describeAllowed(schema)}` };
  if (Array.isArray(value)) return findItemFault(value, schema, path);
  if (!isJsonObject(value)) return null;
  return schema.oneOf ? findVariantFault(value, schema.oneOf, path) : findMemberFault(value, schema, path);
}

function fits(value: unknown, schema: Schema): boolean {
  switch (schema.type) {
    case "string":
      return typeof value === "string" && isText(value, schema);
    case "integer":
      return Number.isInteger(value) && isWithin(value as number, schema);
    case "number":
      return Number.isFinite(value) && isWithin(value as number, schema);
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value) && isCount(value.length, schema);
    case "object":
      return isJsonObject(value);
    default:
      return true;
  }
}

function isText(value: string, { minLength = 0, pattern = "", enum: listed }: Schema): boolean {
  return (
    value.length >= minLength && new RegExp(pattern, "u").test(value) && (listed?.includes(value) ?? true)
  );
}

function isWithin(value: number, { minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return value >= minimum && value <= maximum;
}

function isCount(length: number, { minItems = 0, maxItems = Infinity }: Schema): boolean {
  return length >= minItems && length <= maxItems;
}

function findItemFault(items: readonly unknown[], schema: Schema, path: Fault["path"]): Fault | null {
  const seen = new Set();
  for (const [index, item] of items.entries()) {
    const fault = schema.items ? findFault(item, schema.items, [...path, index]) : null;
    if (fault) return fault;
    if (schema.uniqueItems && seen.has(item)) {
      return { path: [...path, index], problem: `has ${quote(item)} twice; give each value once` };
    }
    seen.add(item);
  }
  return null;
}

function findMemberFault(value: JsonObject, schema: Schema, path: Fault["path"]): Fault | null {
  const given = new Map(Object.entries(value).filter(([, member]) => member !== undefined));
  const known = new Map(Object.entries(schema.properties ?? {}));
  const others = schema.additionalProperties ?? (schema.properties ? false : ANY);
  // A key that is missing may be there, misspelt.
  const unknown = others === false ? [...given.keys()].find((key) => !known.has(key)) : undefined;
  if (unknown !== undefined)
    return { path: [...path, unknown], problem: describeUnknownKey(unknown, [...known.keys()]) };
  const missing = schema.required?.find((key) => !given.has(key));
  if (missing !== undefined) return { path, problem: `has no ${quote(missing)}; give it one` };
  for (const [key, member] of given) {
    const memberSchema = known.get(key) ?? others;
    if (memberSchema === ANY || memberSchema === false) continue;
    const fault = findFault(member, memberSchema, [...path, key]);
    if (fault) return fault;
  }
  return null;
}

const ANY = true;

function findVariantFault(value: JsonObject, variants: readonly Schema[], path: Fault["path"]): Fault | null {
  if (!Object.hasOwn(value, "type")) return { path, problem: `has no "type"; give it one` };
  const types = variants.map((variant) => variant.properties!.type!.enum![0]!);
  const variant = variants[types.indexOf(value.type as string)];
  if (variant) return findMemberFault(value, variant, path);
  return findFault(value.type, { type: "string", enum: types }, [...path, "type"]);
}

/** `is no setting; perhaps "secrets"`; lists all known keys if none is similar. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known).map(quote);
  const hint =
    near.length > 0 ? `perhaps ${near.join(" or ")}` : `the settings are ${known.map(quote).join(", ")}`;
  return `is no setting; ${hint}`;
}

function describeAllowed(schema: Schema): string {
  switch (schema.type) {
    case "string":
      if (schema.enum) return `allowed are ${schema.enum.map(quote).join(", ")}`;
      return schema.pattern
        ? `allowed is text that fits ${schema.pattern}`
        : `allowed is text${schema.minLength ? " that is not empty" : ""}`;
    case "integer":
      return `allowed are whole numbers from ${schema.minimum} to ${schema.maximum}`;
    case "number":
      return `allowed are numbers from ${schema.minimum} to ${schema.maximum}`;
    case "boolean":
      return "allowed are true, false";
    case "array":
      return schema.maxItems === undefined
        ? "allowed is a list"
        : `allowed is a list of ${schema.minItems ?? 0} to ${schema.maxItems}`;
    case "object":
      return "allowed is an object";
    default:
      return "anything is allowed";
  }
}

// Describes a violation of a schema to the model that made the call.
import { argumentPath } from "../core/argument-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { quote } from "../core/quote.ts";
import { pathProblem } from "./formats.ts";
import { pointerKeys, type SchemaProblem } from "./schema-check.ts";

/** As in `arguments.start_line: expected an integer, got "abc"`. */
export function describeProblem(problem: SchemaProblem, schema: JsonObject, args: JsonObject): string {
  const { keys, value } = follow(args, problem.instancePath);
  const { missingProperty, additionalProperty } = problem.params;
  if (typeof missingProperty === "string") return `${argumentPath([...keys, missingProperty])} is missing`;
  if (typeof additionalProperty === "string") {
    const meant = nearest(additionalProperty, knownProperties(schema, problem.schemaPath))[0];
    const hint = meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`;
    return `${argumentPath([...keys, additionalProperty])} is unknown${hint}`;
  }
  return `${argumentPath(keys)}: ${expectation(problem, value)}`;
}

function follow(args: JsonObject, pointer: string): { keys: (string | number)[]; value: Json | undefined } {
  const keys: (string | number)[] = [];
  let value: Json | undefined = args;
  for (const key of pointerKeys(pointer)) {
    keys.push(Array.isArray(value) ? Number(key) : key);
    value = (value as JsonObject)[key];
  }
  return { keys, value };
}

/** The schema path ends in `additionalProperties`, beside the `properties` that are known. */
function knownProperties(schema: JsonObject, schemaPath: string): string[] {
  let owner: Json | undefined = schema;
  for (const key of pointerKeys(schemaPath).slice(0, -1)) owner = (owner as JsonObject | undefined)?.[key];
  return isJsonObject(owner) && isJsonObject(owner.properties) ? Object.keys(owner.properties) : [];
}

function expectation(problem: SchemaProblem, value: Json | undefined): string {
  const pathIs = problem.keyword === "format" && typeof value === "string" ? pathProblem(value) : undefined;
  return pathIs ?? `${expected(problem)}, got ${quote(value)}`;
}

function expected({ keyword, params, message }: SchemaProblem): string {
  switch (keyword) {
    case "type":
      return `expected ${[params.type].flat().map(withArticle).join(" or ")}`;
    case "enum":
      return `expected one of ${(params.allowedValues as Json[]).map(quote).join(", ")}`;
    case "const":
      return `expected ${quote(params.allowedValue)}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `expected a number ${params.comparison} ${params.limit}`;
    case "minLength":
      return `expected at least ${params.limit} characters`;
    case "maxLength":
      return `expected at most ${params.limit} characters`;
    case "pattern":
      return `expected text that matches ${quote(params.pattern)}`;
    default:
      return String(message);
  }
}

function withArticle(type: unknown): string {
  if (type === "null") return "null";
  return /^[aeiou]/.test(String(type)) ? `an ${type}` : `a ${type}`;
}

// Step 3 of a call: arguments against the tool's JSON Schema, with messages that a model can act on.
import { digest } from "../core/canonical-json.ts";
import { HotcellError } from "../core/errors.ts";
import { deepFreeze, isJsonObject, type JsonObject } from "../core/json.ts";
import type { Tool } from "./define-tool.ts";
import { describeProblem } from "./describe-problem.ts";
import { findUnfaithfulValues } from "./find-unfaithful-values.ts";
import { repairArguments } from "./repair-arguments.ts";
import type { SchemaCheck, SchemaProblem } from "./schema-check.ts";
import * as precompiled from "./validators.gen.ts";

export interface Validated {
  /** Deeply frozen. */
  readonly arguments: JsonObject;
  readonly repairs: readonly string[];
}

/** Throws INVALID_ARGUMENTS. */
export type Validate = (tool: Tool, args: JsonObject) => Validated;

const MAX_PROBLEMS = 5;

/** Compiles schemas that are not precompiled. After that, the validation of arguments is synchronous. */
export async function createValidator(tools: readonly Tool[]): Promise<Validate> {
  const custom = tools.filter((tool) => checkWithoutAjv(tool) === undefined || hasOwnOutput(tool));
  const compiled =
    custom.length === 0 ? undefined : (await import("./compile-schemas.ts")).compileSchemas(custom);
  const checks = new Map(tools.map((tool) => [tool, checkWithoutAjv(tool) ?? compiled?.get(tool)]));
  return (tool, args) => {
    const check = checks.get(tool);
    if (!check) {
      throw new HotcellError(
        "INTERNAL_ERROR",
        `Could not validate the arguments: no validator was compiled for "${tool.name}".`,
      );
    }
    return validate(tool, check, args);
  };
}

/** The output of a wasm tool is checked by its manifest's schema. */
function hasOwnOutput({ toolset, outputSchema }: Tool): boolean {
  return toolset === "wasm" && outputSchema !== null;
}

/** A Standard Schema checks by itself, and its JSON Schema may have words that ajv does not know. */
function checkWithoutAjv(tool: Tool): SchemaCheck | undefined {
  if (tool.checksInput !== null) return () => true;
  return (precompiled as Readonly<Record<string, SchemaCheck>>)[checkName(tool)];
}

/** The key depends only on the schema, so a changed schema never finds an old validator. */
export function checkName(tool: Tool): string {
  return `schema_${digest(tool.inputSchema)}`;
}

function validate(tool: Tool, check: SchemaCheck, given: JsonObject): Validated {
  const { arguments: args, repairs } = repairArguments(tool.inputSchema, given);
  const unfaithful = findUnfaithfulValues(args);
  // Exactly true: a schema with "$async" answers with a promise.
  const found = check(args) === true ? null : (check.errors ?? []);
  if (found === null && unfaithful.length === 0) {
    tool.checksInput?.(args);
    return { arguments: deepFreeze(args), repairs };
  }
  throw invalid(tool, args, unfaithful, found ?? []);
}

function invalid(
  tool: Tool,
  args: JsonObject,
  unfaithful: readonly string[],
  found: readonly SchemaProblem[],
): HotcellError {
  const described = found.slice(0, MAX_PROBLEMS).map((one) => describeProblem(one, tool.inputSchema, args));
  const problems = [...unfaithful, ...described].slice(0, MAX_PROBLEMS);
  const rest = unfaithful.length + found.length - problems.length;
  const text = [...problems, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
  return new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not call ${tool.name}: ${text}. ${describeArguments(tool)}`,
    { problems },
  );
}

function describeArguments({ name, inputSchema: { properties, required } }: Tool): string {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  if (names.length === 0) return `${name} takes no arguments.`;
  const isRequired = (key: string) => Array.isArray(required) && required.includes(key);
  return `${name} takes ${names.map((key) => (isRequired(key) ? `${key} (required)` : key)).join(", ")}.`;
}

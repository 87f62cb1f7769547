// Schemas of validation libraries, by the interfaces Standard Schema and Standard JSON Schema (https://standardschema.dev).
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";

/** A schema of zod, valibot, ArkType or another library that implements Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, where the library has it. */
    readonly jsonSchema?: unknown;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(input: unknown): input is StandardSchema {
  return (typeof input === "object" || typeof input === "function") && input !== null && "~standard" in input;
}

/** The JSON Schema of the schema's input; null if the library cannot provide one. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | null {
  const { jsonSchema } = schema["~standard"] as { jsonSchema?: { input?: (options: object) => unknown } };
  const own = (schema as { toJSONSchema?: (options: object) => unknown }).toJSONSchema;
  const made = jsonSchema?.input?.({ target: "draft-07" }) ?? own?.call(schema, { io: "input" });
  if (!isJsonObject(made)) return null;
  // Some libraries add functions or symbols.
  const { $schema: _, ...rest } = JSON.parse(JSON.stringify(made)) as JsonObject;
  return rest;
}

/** Returns the schema's output for the arguments. Throws INVALID_ARGUMENTS. */
export function parseStandard(tool: string, schema: StandardSchema, args: JsonObject): unknown {
  const result = schema["~standard"].validate(args);
  if (result instanceof Promise) {
    const message = `Could not call ${tool}: its input is checked asynchronously. Define it without asynchronous checks.`;
    throw new HotcellError("CONFIG_INVALID", message);
  }
  if (result.issues === undefined) return result.value;
  const described = result.issues.slice(0, MAX_ISSUES).map(describeIssue).join("; ");
  throw new HotcellError("INVALID_ARGUMENTS", `Could not call ${tool}: ${described}.`);
}

const MAX_ISSUES = 5;

function describeIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return `${["arguments", ...keys].join(".")}: ${message}`;
}

// Generates validators for known schemas as code that needs no ajv. Used by scripts/precompile-validators.js.
import { _ } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import type { JsonObject } from "../core/json.ts";
import { createAjv } from "./compile-schemas.ts";
import type { Tool } from "./define-tool.ts";
import { checkName } from "./validate.ts";

const HEADER = `// @ts-nocheck
// Made by \`npm run precompile\` from the input schemas of the built-in tools. Do not edit.
import { formats } from "./formats.ts";
`;

export function validatorSource(tools: readonly Tool[]): string {
  const ajv = createAjv({ esm: true, source: true, lines: true, formats: _`formats` });
  const schemas = new Map<string, JsonObject>(tools.map((tool) => [checkName(tool), tool.inputSchema]));
  for (const [name, schema] of schemas) ajv.addSchema(schema, name);
  const names = Object.fromEntries([...schemas.keys()].map((name) => [name, name]));
  return HEADER + standalone.default(ajv, names);
}

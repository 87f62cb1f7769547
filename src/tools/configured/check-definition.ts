import { formatKey } from "../../config/check-json-text.ts";
import { findFault } from "../../config/find-fault.ts";
import type { Schema } from "../../config/schema.ts";
import { TOOL_DEFINITIONS } from "../../config/tool-schema.ts";
import { quote } from "../../core/quote.ts";
import { refuseDefinition } from "./placeholders.ts";
import type { ConfiguredToolOptions } from "./shielded-tool.ts";

/** A program may define only what a configuration file may define. Throws CONFIG_INVALID. */
export function checkDefinition(type: keyof typeof TOOL_DEFINITIONS, options: ConfiguredToolOptions): void {
  const problem = findProblem(options, TOOL_DEFINITIONS[type]);
  if (problem !== null) throw refuseDefinition(options?.name, problem);
  const { name, secrets = {} } = options;
  const wrong = Object.entries(secrets).find(([, value]) => typeof value !== "string");
  // Without the value: a number may be a secret too.
  if (wrong !== undefined)
    throw refuseDefinition(name, `the value of its secret ${quote(wrong[0])} is no text`);
}

/** What is wrong with options of a tool: `args is 5; allowed is a list`. */
export function findProblem(options: object, schema: Schema): string | null {
  const fault = findFault(options, schema);
  return fault && `${formatKey(fault.path) || "it"} ${fault.problem}`;
}

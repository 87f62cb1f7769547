// `{{name}}` in a template of a configured tool stands for an argument of the call.
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";

const PLACEHOLDER = /\{\{([A-Za-z_][\w-]*)\}\}/g;
const PLACEHOLDER_ALONE = /^\{\{([A-Za-z_][\w-]*)\}\}$/;

export function namesIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

/** The name if the template is one placeholder and nothing else. */
export function onlyName(template: string): string | null {
  return PLACEHOLDER_ALONE.exec(template)?.[1] ?? null;
}

export function fillPlaceholders(template: string, textOf: (name: string) => string): string {
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(name));
}

/** Null if the call does not give the argument. Only own properties count. */
export function givenArgument(args: JsonObject, name: string): Json {
  return Object.hasOwn(args, name) ? (args[name] ?? null) : null;
}

export function parameterNames({ properties }: JsonObject): string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

export function refuseDefinition(tool: unknown, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not define the tool ${quote(tool)}: ${problem}.`);
}

export function refuseCall(tool: string, problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not call ${tool}: ${problem}.`);
}

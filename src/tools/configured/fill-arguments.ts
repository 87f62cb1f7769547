// Builds a program's arguments from a template. Values of the call stay data: one element is one argument, a value is
// never split into words, and placeholders in a value are not replaced.
import type { Json, JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import {
  fillPlaceholders,
  givenArgument,
  namesIn,
  onlyName,
  parameterNames,
  refuseCall,
  refuseDefinition,
} from "./placeholders.ts";

/** Throws CONFIG_INVALID for a placeholder without a parameter. */
export function checkTemplate(tool: string, template: readonly string[], parameters: JsonObject): void {
  const known = parameterNames(parameters);
  const unknown = template.flatMap(namesIn).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const found = `its args use ${quote(`{{${unknown}}}`)}, but its parameters do not define ${quote(unknown)}`;
  throw refuseDefinition(tool, `${found}. Add it`);
}

/** An element whose argument was not given is left out. Throws INVALID_ARGUMENTS. */
export function fillArguments(tool: string, template: readonly string[], args: JsonObject): string[] {
  return template.flatMap((element, index) => {
    const filled = fillElement(tool, element, args);
    const isFree = element.startsWith("-") || template.slice(0, index).includes("--");
    if (!isFree) for (const text of filled) refuseOption(tool, text);
    return filled;
  });
}

function fillElement(tool: string, element: string, args: JsonObject): string[] {
  if (namesIn(element).some((name) => givenArgument(args, name) === null)) return [];
  const alone = onlyName(element);
  const list = alone === null ? null : givenArgument(args, alone);
  if (Array.isArray(list)) return list.map((item) => textOf(tool, alone!, item));
  return [fillPlaceholders(element, (name) => textOf(tool, name, givenArgument(args, name)))];
}

function textOf(tool: string, name: string, value: Json): string {
  if (typeof value !== "object") return String(value);
  const found = `${quote(name)} contains ${quote(value)}, which cannot be an argument of a program`;
  throw refuseCall(tool, `${found}. Give text, a number, true or false`);
}

/** Otherwise a call could use any option of the program. */
function refuseOption(tool: string, text: string): void {
  if (!text.startsWith("-")) return;
  const found = `${quote(text)} begins with "-", and the program would read it as an option`;
  throw refuseCall(tool, `${found}. Write a path as "./…"`);
}

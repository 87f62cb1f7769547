// A program's arguments from a template: what a call gives stays data. One element is one argument, a value is
// never split into words, and what it holds is never looked at again.
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";

const PLACEHOLDER = /\{\{([A-Za-z_][\w-]*)\}\}/g;
const PLACEHOLDER_ALONE = /^\{\{([A-Za-z_][\w-]*)\}\}$/;

/** Throws CONFIG_INVALID for a placeholder that is no parameter. */
export function checkTemplate(tool: string, template: readonly string[], { properties }: JsonObject): void {
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const unknown = template.flatMap(namesIn).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const problem = `its args have ${quote(`{{${unknown}}}`)}, and its parameters have no ${quote(unknown)}`;
  throw new HotcellError("CONFIG_INVALID", `Could not define the tool ${quote(tool)}: ${problem}. Add it.`);
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
  const given = (name: string) => (Object.hasOwn(args, name) ? (args[name] ?? null) : null);
  if (namesIn(element).some((name) => given(name) === null)) return [];
  const alone = PLACEHOLDER_ALONE.exec(element)?.[1];
  const list = alone === undefined ? null : given(alone);
  if (Array.isArray(list)) return list.map((item) => textOf(tool, alone!, item));
  return [element.replace(PLACEHOLDER, (_, name: string) => textOf(tool, name, given(name)))];
}

function namesIn(element: string): string[] {
  return [...element.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

function textOf(tool: string, name: string, value: Json): string {
  if (typeof value !== "object") return String(value);
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not call ${tool}: ${quote(name)} is or has ${quote(value)}, which is no argument of a program. Give text, a number, true or false.`,
  );
}

/** Else a call could switch on whatever the program has an option for. */
function refuseOption(tool: string, text: string): void {
  if (!text.startsWith("-")) return;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not call ${tool}: ${quote(text)} begins with "-", and the program would take it for an option. Write a path as "./…".`,
  );
}

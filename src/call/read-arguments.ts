import { checkJsonValue } from "../core/check-json-value.ts";
import { HotcellError } from "../core/errors.ts";
import { deepFreeze, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { parseJson } from "../core/parse-json.ts";
import { quote } from "../core/quote.ts";
import { stripFence } from "./strip-fence.ts";

export interface ReadArguments {
  /** Deeply frozen. */
  readonly arguments: JsonObject;
  readonly repairs: readonly string[];
}

/** Accepts an object, JSON text, or nothing: a call with only a name has no arguments. */
export function readArguments(given: unknown): ReadArguments {
  if (given === undefined || given === null) return { arguments: {}, repairs: [] };
  if (typeof given !== "string") return { arguments: checkJsonValue(given), repairs: [] };
  return readText(given);
}

function readText(text: string): ReadArguments {
  if (text.trim() === "") throw refused("the text is empty. Send {} for none");
  const fenced = stripFence(text);
  const value = parseJson(fenced ?? text);
  const decoded = typeof value === "string" ? decodeAgain(value) : value;
  if (!isJsonObject(decoded)) throw refused(`expected a JSON object, got ${quote(decoded)}`);
  const repairs = [
    ...(fenced === undefined ? [] : ["Removed the code fence around the arguments."]),
    ...(typeof value === "string" ? ["Decoded arguments that were encoded as JSON twice."] : []),
  ];
  return { arguments: deepFreeze(decoded), repairs };
}

function decodeAgain(text: string): Json {
  return text.trimStart().startsWith("{") ? parseJson(text) : text;
}

function refused(reason: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not read the arguments: ${reason}.`);
}

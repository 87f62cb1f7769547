// Reads a call that a model without native tool calling wrote as text. The call must be the whole text:
// hotcell never runs a call that is quoted in prose or echoed from a file.
import { HotcellError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { parseJson } from "../core/parse-json.ts";
import { quote } from "../core/quote.ts";
import { stripFence } from "./strip-fence.ts";

/** A call whose parts are not checked yet. */
export interface RawCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly repairs: readonly string[];
}

type CallParts = Omit<RawCall, "repairs">;

const ALONE =
  'Send one call alone, with nothing before or after it: {"tool_call":{"name":"…","arguments":{…}}}';

export function readCallText(text: string): RawCall {
  if (Buffer.byteLength(text) > LIMITS.maxCallBytes) {
    throw refused(`it is larger than ${LIMITS.maxCallBytes} bytes`);
  }
  const fenced = stripFence(text);
  const repairs = fenced === undefined ? [] : ["Removed the code fence around the call."];
  return { ...readForm((fenced ?? text).trim()), repairs };
}

function readForm(text: string): CallParts {
  const tagged = between(text, "<tool_call>", "</tool_call>")?.trim();
  if ((tagged ?? text).startsWith("<function=")) return readFunction(tagged ?? text);
  if (tagged !== undefined) return readParts(readJson(tagged));
  if (text.startsWith("{")) return readEnvelope(readJson(text));
  throw refused("the text is not a call");
}

function readEnvelope(value: Json): CallParts {
  if (!isJsonObject(value) || !("tool_call" in value)) throw refused('there is no "tool_call"');
  refuseOtherKeys(value, ["tool_call"]);
  return readParts(value.tool_call as Json);
}

function readParts(value: Json): CallParts {
  if (!isJsonObject(value)) throw refused(`expected an object with a name, got ${quote(value)}`);
  refuseOtherKeys(value, ["id", "name", "arguments"]);
  return value;
}

function refuseOtherKeys(value: JsonObject, allowed: readonly string[]): void {
  const other = Object.keys(value).find((key) => !allowed.includes(key));
  if (other !== undefined) throw refused(`${quote(other)} is no part of a call`);
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new HotcellError("INVALID_ARGUMENTS", `${(error as HotcellError).message} ${ALONE}`);
  }
}

/** `<function=name><parameter=p>value</parameter>…</function>`: values are text, which the validator converts. */
function readFunction(text: string): CallParts {
  const [opening, name] = /^<function=([^<>\s]+)>/.exec(text) ?? [];
  const body = opening === undefined ? undefined : between(text, opening, "</function>");
  if (body === undefined) throw refused("expected <function=name> … </function>");
  return { name, arguments: readParameters(body) };
}

function readParameters(body: string): Record<string, string> {
  const found = new Map<string, string>();
  let rest = body.trimStart();
  while (rest !== "") {
    const [opening, name] = /^<parameter=([^<>\s]+)>/.exec(rest) ?? [];
    const end = rest.indexOf("</parameter>");
    if (opening === undefined || name === undefined || end === -1) {
      throw refused("expected <parameter=name>value</parameter>");
    }
    if (found.size === LIMITS.maxCallEntries)
      throw refused(`it has more than ${LIMITS.maxCallEntries} parameters`);
    if (found.has(name)) throw refused(`the parameter ${quote(name)} comes twice`);
    found.set(name, readValue(name, rest.slice(opening.length, end)));
    rest = rest.slice(end + "</parameter>".length).trimStart();
  }
  return Object.fromEntries(found);
}

// A value that contains such a tag is ambiguous: two parsers could read two different calls.
function readValue(name: string, text: string): string {
  if (/<\/?(?:tool_call|function|parameter)\b/.test(text)) {
    throw refused(`the parameter ${quote(name)} holds a tag of the call itself; this form can't carry it`);
  }
  return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}

function between(text: string, opening: string, closing: string): string | undefined {
  if (!text.startsWith(opening) || !text.endsWith(closing)) return undefined;
  return text.slice(opening.length, -closing.length);
}

function refused(reason: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not read a call from the text: ${reason}. ${ALONE}`);
}

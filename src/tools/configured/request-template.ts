// Fills in the templates of an HTTP tool. An argument is encoded for its place: it can't change scheme, host or path
// structure, add a header, or change the structure of a JSON or form body.
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { type HttpRequest, isOwnHeader } from "../../net/http-client.ts";
import { readRequestUrl } from "../../net/request-target.ts";
import type { HttpToolOptions } from "./http-tool.ts";
import {
  fillPlaceholders,
  givenArgument,
  namesIn,
  onlyName,
  parameterNames,
  refuseCall,
  refuseDefinition,
} from "./placeholders.ts";
import { parametersOf } from "./shielded-tool.ts";

export interface RequestTemplate {
  /** Throws INVALID_ARGUMENTS for a call that no request can be made of. */
  fill(args: JsonObject): HttpRequest;
}

/** Throws CONFIG_INVALID for a template that can never be sent. */
export function readRequestTemplate(options: HttpToolOptions): RequestTemplate {
  const { name: tool, url, method = "GET", headers = {}, body, secrets = {} } = options;
  checkNames(options);
  checkUrl(tool, url);
  checkHeaders(tool, headers);
  const template = readBodyTemplate(options);
  const secretValues = new Map(Object.entries(secrets));
  return {
    fill(args) {
      const values: Values = {
        tool,
        of: (name) => secretValues.get(name) ?? givenArgument(args, name),
      };
      return {
        url: fillUrl(url, values),
        method,
        headers: { ...template.headers, ...fillHeaders(headers, values) },
        ...(body !== undefined && { body: template.fill(values) }),
      };
    },
  };
}

interface Values {
  readonly tool: string;
  /** Null if there is none. */
  of(name: string): Json;
}

function textOf({ tool, of }: Values, name: string): string {
  const value = of(name);
  if (value === null) throw refuseCall(tool, `${quote(name)} is missing. Give it`);
  if (typeof value !== "object") return String(value);
  throw refuseCall(tool, `${quote(name)} is ${quote(value)}. Give text, a number, true or false`);
}

const hasAll = ({ of }: Values, template: string): boolean =>
  namesIn(template).every((name) => of(name) !== null);

function checkNames(options: HttpToolOptions): void {
  const { name: tool, url, headers = {}, body, secrets = {} } = options;
  const parameters = parameterNames(parametersOf(options));
  const secretNames = Object.keys(secrets);
  const both = secretNames.find((name) => parameters.includes(name));
  if (both !== undefined)
    throw refuseDefinition(tool, `${quote(both)} is a parameter and a secret. Rename the parameter`);
  const check = (where: string, names: readonly string[], known: readonly string[]) => {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return;
    const problem = secretNames.includes(unknown)
      ? "a secret may be in headers and body only"
      : `there is no such parameter. Add ${quote(unknown)} to its parameters`;
    throw refuseDefinition(tool, `its ${where} has ${quote(`{{${unknown}}}`)}, and ${problem}`);
  };
  const everywhere = [...parameters, ...secretNames];
  check("url", namesIn(url), parameters);
  for (const value of Object.values(headers)) check("headers", namesIn(value), everywhere);
  check("body", namesIn(textOfBody(tool, body)), everywhere);
}

function textOfBody(tool: string, body: Json = ""): string {
  const text = typeof body === "string" ? body : tryWriting(body);
  if (text !== undefined) return text;
  throw refuseDefinition(tool, `its body is ${quote(body)}, which cannot be written as JSON`);
}

function tryWriting(body: Json): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

/** Scheme and host, and the rest, in which arguments may be. */
const URL_PARTS = /^(https?:\/\/[^/?#\\]*)(\/[^?#]*)?(\?[^#]*)?$/i;

/** A URL reads `\` as `/`, and omits control characters and a space at the end: what is checked here would not be sent. */
const REREAD = /[\\\0-\x1f\x7f]| $/;

function checkUrl(tool: string, url: string): void {
  const [, origin = ""] = URL_PARTS.exec(url) ?? [];
  const problem = REREAD.test(url)
    ? "it has a backslash, a control character or a space at its end. Remove it, or write it as %5C"
    : origin === ""
      ? "write it like https://example.com/path?query={{name}}"
      : namesIn(origin).length > 0
        ? "an argument can't choose scheme, host or port"
        : urlProblem(origin);
  if (problem !== null) throw refuseDefinition(tool, `its url is ${quote(url)}; ${problem}`);
}

function urlProblem(origin: string): string | null {
  try {
    readRequestUrl(origin);
    return null;
  } catch (error) {
    if (error instanceof HotcellError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

function fillUrl(url: string, values: Values): string {
  const [, origin = "", path = "/", query = ""] = URL_PARTS.exec(url)!;
  const segments = path.split("/").map((segment) => fillSegment(segment, values));
  const pairs = fillPairs(query.slice(1), values);
  return `${origin}${segments.join("/")}${pairs === "" ? "" : `?${pairs}`}`;
}

/** A segment that is empty, `.` or `..` would make another path of it. */
function fillSegment(segment: string, values: Values): string {
  if (namesIn(segment).length === 0) return segment;
  const filled = fillPlaceholders(segment, (name) => encodeURIComponent(textOf(values, name)));
  if (!/^(?:\.|%2e){0,2}$/i.test(filled)) return filled;
  throw refuseCall(
    values.tool,
    `${quote(namesIn(segment)[0])} would change the path of the URL. Give another value`,
  );
}

/** Pairs of a query or form. A pair is left out if its argument is not given. */
function fillPairs(pairs: string, values: Values): string {
  const given = pairs.split("&").filter((pair) => hasAll(values, pair));
  return given
    .map((pair) => fillPlaceholders(pair, (name) => encodeURIComponent(textOf(values, name))))
    .join("&");
}

function checkHeaders(tool: string, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw refuseDefinition(tool, `${quote(name)} is no name of a header`);
    if (isOwnHeader(name))
      throw refuseDefinition(tool, `hotcell sets the header ${quote(name)} itself. Remove it`);
    if (!HEADER_VALUE.test(value))
      throw refuseDefinition(tool, `its header ${quote(name)} has a character that no header can have`);
  }
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A header is left out if its argument is not given. */
function fillHeaders(headers: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  const filled = Object.entries(headers)
    .filter(([, value]) => hasAll(values, value))
    .map(([name, value]) => {
      const text = fillPlaceholders(value, (argument) => textOf(values, argument));
      if (HEADER_VALUE.test(text)) return [name, text] as const;
      throw refuseCall(
        values.tool,
        `the header ${quote(name)} would have a character that no header can have`,
      );
    });
  return Object.fromEntries(filled);
}

interface BodyTemplate {
  /** What the body needs beside the configured headers. */
  readonly headers: Readonly<Record<string, string>>;
  fill(values: Values): string;
}

function readBodyTemplate({ name: tool, headers = {}, body = "" }: HttpToolOptions): BodyTemplate {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const isJson = type === undefined ? typeof body !== "string" || isJsonText(body) : /[/+]json\b/i.test(type);
  if (isJson) {
    const value = typeof body === "string" ? readJsonTemplate(tool, body) : body;
    return {
      headers: type === undefined ? { "content-type": "application/json" } : {},
      fill: (values) => JSON.stringify(fillJson(value, values) ?? null),
    };
  }
  if (typeof body !== "string")
    throw refuseDefinition(tool, `its body is JSON, and its content-type is ${quote(type)}`);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type ?? "");
  return {
    headers: {},
    fill: (values) =>
      isForm ? fillPairs(body, values) : fillPlaceholders(body, (name) => textOf(values, name)),
  };
}

function isJsonText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function readJsonTemplate(tool: string, body: string): Json {
  try {
    return JSON.parse(body);
  } catch {
    throw refuseDefinition(
      tool,
      `its body is no JSON. Write each placeholder in quotes: "{{name}}" alone becomes the value with its type`,
    );
  }
}

/** Undefined for a member whose argument is not given: it is left out. */
function fillJson(template: Json, values: Values): Json | undefined {
  if (typeof template === "string") return fillJsonText(template, values);
  if (Array.isArray(template))
    return template.map((item) => fillJson(item, values)).filter((item) => item !== undefined);
  if (!isJsonObject(template)) return template;
  const members = Object.entries(template).map(([key, value]) => [key, fillJson(value, values)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject;
}

function fillJsonText(template: string, values: Values): Json | undefined {
  if (!hasAll(values, template)) return undefined;
  const alone = onlyName(template);
  return alone === null ? fillPlaceholders(template, (name) => textOf(values, name)) : values.of(alone);
}

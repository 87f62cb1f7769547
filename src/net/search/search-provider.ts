import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseUrl } from "../../core/parse-url.ts";
import type { HttpResponse } from "../http-client.ts";

export interface WebResult {
  readonly title: string;
  readonly url: string;
  /** A few sentences of the page. */
  readonly content: string;
}

export interface FoundResults {
  readonly results: readonly WebResult[];
  /** Engines behind the provider that gave no answer, with the reason if known. */
  readonly unresponsive: readonly string[];
}

/** A search service. */
export interface SearchProvider {
  readonly name: string;
  /** Throws NETWORK_ERROR with the reason if the service gives no usable answer. */
  search(query: string, maxResults: number, signal: AbortSignal): Promise<FoundResults>;
}

export function searchError(reason: string): HotcellError {
  return new HotcellError("NETWORK_ERROR", reason);
}

/** The response as a JSON object. */
export function readAnswer({ body, truncated }: HttpResponse): JsonObject {
  if (truncated) throw searchError("its answer is too long");
  try {
    const answer: unknown = JSON.parse(body.toString());
    if (isJsonObject(answer)) return answer;
  } catch {
    // The next line says the same of text that is no JSON.
  }
  throw searchError("its answer is no JSON object");
}

/** Entries of an answer that have a title and the URL of a page, without markup. */
export function readResults(entries: unknown, content: string, maxResults: number): WebResult[] {
  if (!Array.isArray(entries)) return [];
  const results = entries.filter(isJsonObject).map((entry) => ({
    title: plainText(entry.title),
    url: webUrl(entry.url),
    content: plainText(entry[content]),
  }));
  return results.filter(({ title, url }) => title !== "" && url !== "").slice(0, maxResults);
}

const MAX_TEXT_CHARS = 1000;
const MAX_URL_CHARS = 2000;

function webUrl(given: unknown): string {
  const url = typeof given === "string" && given.length <= MAX_URL_CHARS ? parseUrl(given) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "";
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/** One line without tags, entities and control characters. */
function plainText(given: unknown): string {
  if (typeof given !== "string") return "";
  return given
    .slice(0, 10 * MAX_TEXT_CHARS)
    .replace(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gis, " ")
    .replace(/<\/?[a-z!][^>]*>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, decodeEntity)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT_CHARS);
}

function decodeEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

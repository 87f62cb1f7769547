import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { HttpClient } from "../http-client.ts";
import { readAnswer, readResults, type SearchProvider, searchError } from "./search-provider.ts";

export interface SearxngOptions {
  /** The address of the instance. */
  readonly url: string;
  readonly engines: readonly string[];
}

/** Searches with an instance of SearXNG. `http` must be allowed to reach it. */
export function createSearxng({ url, engines }: SearxngOptions, http: HttpClient): SearchProvider {
  return {
    name: "searxng",
    async search(query, maxResults, signal) {
      const response = await http.request(
        { url: searchUrl(url, query, engines), headers: JSON_ONLY },
        signal,
      );
      if (response.status === 403) throw searchError(FORBIDDEN);
      if (response.status !== 200) throw searchError(`it answered with status ${response.status}`);
      const answer = readAnswer(response);
      return {
        results: readResults(answer.results, "content", maxResults),
        unresponsive: unresponsiveIn(answer),
      };
    },
  };
}

const JSON_ONLY = { accept: "application/json" };
const FORBIDDEN =
  'it refuses JSON (status 403). Add "json" to search.formats in its settings.yml and restart it';

function searchUrl(base: string, query: string, engines: readonly string[]): string {
  const url = new URL("search", base.endsWith("/") ? base : `${base}/`);
  url.searchParams.set("q", query);
  url.searchParams.set("format", "json");
  if (engines.length > 0) url.searchParams.set("engines", engines.join(","));
  return url.href;
}

/** SearXNG lists pairs of engine and reason. */
function unresponsiveIn({ unresponsive_engines: listed }: JsonObject): string[] {
  if (!Array.isArray(listed)) return [];
  return listed.slice(0, MAX_LISTED).map((entry) => {
    const [engine, reason] = Array.isArray(entry) ? entry : [isJsonObject(entry) ? entry.engine : entry];
    return [engine, reason]
      .filter((part) => typeof part === "string")
      .join(": ")
      .slice(0, MAX_REASON_CHARS);
  });
}

const MAX_LISTED = 20;
const MAX_REASON_CHARS = 100;

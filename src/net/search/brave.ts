import { isJsonObject } from "../../core/json.ts";
import type { HttpClient } from "../http-client.ts";
import { readAnswer, readResults, type SearchProvider, searchError } from "./search-provider.ts";

const ENDPOINT = "https://api.search.brave.com/res/v1/web/search";

/** Limits of the service. */
const MAX_QUERY_CHARS = 400;
const MAX_QUERY_WORDS = 50;
const MAX_COUNT = 20;

/** Searches with the Brave Search API. */
export function createBrave(apiKey: string, http: HttpClient): SearchProvider {
  return {
    name: "brave",
    async search(query, maxResults, signal) {
      checkQuery(query);
      const url = new URL(ENDPOINT);
      url.searchParams.set("q", query);
      url.searchParams.set("count", String(Math.min(maxResults, MAX_COUNT)));
      const headers = { accept: "application/json", "x-subscription-token": apiKey };
      const response = await http.request({ url: url.href, headers }, signal);
      const { status } = response;
      if (status === 429)
        throw searchError(`its rate limit is reached (status 429)${retryAfter(response.headers)}`);
      if (status === 401 || status === 403)
        throw searchError(`it refuses the key (status ${status}). Check BRAVE_API_KEY`);
      if (status !== 200) throw searchError(`it answered with status ${status}`);
      const { web } = readAnswer(response);
      const entries = isJsonObject(web) ? web.results : [];
      return { results: readResults(entries, "description", maxResults), unresponsive: [] };
    },
  };
}

function checkQuery(query: string): void {
  const words = query.split(/\s+/).length;
  if (query.length > MAX_QUERY_CHARS)
    throw searchError(`it takes queries of at most ${MAX_QUERY_CHARS} characters, not ${query.length}`);
  if (words > MAX_QUERY_WORDS)
    throw searchError(`it takes queries of at most ${MAX_QUERY_WORDS} words, not ${words}`);
}

function retryAfter(headers: Readonly<Record<string, string>>): string {
  const seconds = /^\d{1,6}$/.exec(headers["retry-after"] ?? "")?.[0];
  return seconds === undefined ? "" : `. Try again in ${seconds} seconds`;
}

// Everything of a cell that dials: the client of HTTP tools, and web search with a client of its own.
import { CONFIG_PROPERTIES } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import { type HostPort, readHostPort } from "../core/host-name.ts";
import { quote } from "../core/quote.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { readRequestUrl, targetOf } from "./request-target.ts";
import { createBrave } from "./search/brave.ts";
import { createSearxng } from "./search/searxng.ts";
import { createWebSearch, type WebSearch } from "./search/web-search.ts";

export interface NetworkOptions {
  readonly allowedPrivateHosts?: readonly string[];
  readonly maxResponseBytes?: number;
  readonly webSearch?: WebSearchOptions;
}

export interface WebSearchOptions {
  /**
   * The address of a SearXNG instance. It may be on this machine or in the private network.
   * @default "http://localhost:8080"
   */
  readonly searxngUrl?: string;
  /**
   * The engines that SearXNG asks; its own choice if the list is empty.
   * @default ["bing", "duckduckgo", "brave"]
   */
  readonly engines?: readonly string[];
  /**
   * A key of the Brave Search API, which is asked if SearXNG has no results.
   * @default no second service
   */
  readonly braveApiKey?: string;
}

export interface NetworkClients {
  readonly allowedPrivateHosts: readonly HostPort[];
  readonly http: HttpClient;
  readonly search: WebSearch;
  close(): void;
}

/** Throws CONFIG_INVALID for an option that is no address. */
export function checkAddresses({ allowedPrivateHosts = [], webSearch }: NetworkOptions): void {
  allowedPrivateHosts.forEach(readAllowedHost);
  readSearxngTarget(withDefaults(webSearch).searxngUrl);
}

/** Throws as `checkAddresses`. */
export function createNetworkClients(options: NetworkOptions): NetworkClients {
  const { maxResponseBytes, webSearch } = options;
  const allowedPrivateHosts = (options.allowedPrivateHosts ?? []).map(readAllowedHost);
  const http = createHttpClient({
    allowedPrivateHosts,
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
  });
  const { search, client } = createSearch(webSearch);
  return {
    allowedPrivateHosts,
    http,
    search,
    close() {
      http.close();
      client.close();
    },
  };
}

function readAllowedHost(text: string, index: number): HostPort {
  const pair = readHostPort(text);
  if (pair !== null) return pair;
  throw wrong(`allowedPrivateHosts[${index}]`, text, 'a host and a port, like "localhost:3000"');
}

/** Only web search may reach the instance of SearXNG if its address is private. */
function createSearch(options: WebSearchOptions | undefined): {
  readonly search: WebSearch;
  readonly client: HttpClient;
} {
  const { searxngUrl: url, engines, braveApiKey } = withDefaults(options);
  const client = createHttpClient({ allowedPrivateHosts: [readSearxngTarget(url)] });
  const brave = braveApiKey === undefined ? [] : [createBrave(braveApiKey, client)];
  return { search: createWebSearch([createSearxng({ url, engines }, client), ...brave]), client };
}

const withDefaults = (options: WebSearchOptions = {}) => ({
  ...CONFIG_PROPERTIES.webSearch.default,
  ...options,
});

function readSearxngTarget(url: string): HostPort {
  try {
    return targetOf(readRequestUrl(url));
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    throw wrong("webSearch.searxngUrl (SEARXNG_URL)", url, 'a URL, like "http://localhost:8080"');
  }
}

function wrong(name: string, value: string, allowed: string): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    `Could not open the cell: ${name} is ${quote(value)}; allowed is ${allowed}.`,
  );
}

// The HTTP client of tools. Every connection goes to a checked address, redirects are followed here, and no proxy of the
// environment is used. A request is sent once.
import { type Deadline, startDeadline } from "../core/deadline.ts";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { Connection } from "./connection.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { createDial, type DialOptions } from "./dial.ts";
import { ACCEPT_ENCODING, readBody } from "./read-body.ts";
import { followRedirect, type OutgoingRequest } from "./redirect.ts";
import { readRequestUrl } from "./request-target.ts";

export interface HttpRequest {
  readonly url: string;
  /** GET if omitted. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called for the URL, and for each URL that a redirect leads to; throws to refuse it. */
  readonly permit?: (url: URL) => void;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly body: Buffer;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
  /** Where the last redirect led. */
  readonly url: string;
}

export interface HttpClient {
  readonly maxResponseBytes: number;
  /** Throws INVALID_ARGUMENTS, NETWORK_DENIED, NETWORK_ERROR, TIMEOUT or CANCELLED. Any status is a response. */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  close(): void;
}

export interface HttpClientOptions extends DialOptions {
  /** 10 MiB if omitted. */
  readonly maxResponseBytes?: number;
}

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const { maxResponseBytes = LIMITS.maxResponseBytes } = options;
  const pool = createConnectionPool(createDial(options));

  const request = async (given: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    let next = firstRequest(given);
    for (let redirects = 0; redirects <= LIMITS.maxRedirects; redirects++) {
      given.permit?.(next.url);
      const { origin } = next.url;
      // A redirect dials again, also to the same host: its address is checked once more.
      const connection = await (redirects === 0 ? pool.take(origin) : pool.open(origin));
      try {
        const answer = await exchange(connection, next, maxResponseBytes, signal);
        if ("status" in answer) return answer;
        next = answer;
      } finally {
        pool.release(origin, connection);
      }
    }
    throw new HotcellError(
      "NETWORK_DENIED",
      `Could not request ${next.url.host}: it redirects more than ${LIMITS.maxRedirects} times.`,
    );
  };
  return { maxResponseBytes, request, close: () => pool.close() };
}

/** Headers that belong to the connection or say where a request goes. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase());
}

function firstRequest({ url, method = "GET", headers = {}, body }: HttpRequest): OutgoingRequest {
  const given = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !isOwnHeader(name));
  const defaults = { "accept-encoding": ACCEPT_ENCODING, "user-agent": "hotcell" };
  return {
    url: readRequestUrl(url),
    method: method.toUpperCase(),
    headers: { ...defaults, ...Object.fromEntries(given) },
    ...(body !== undefined && { body }),
  };
}

/** Sends one request. Gives the response, or the request that it redirects to. */
async function exchange(
  connection: Connection,
  outgoing: OutgoingRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpResponse | OutgoingRequest> {
  const { url, method } = outgoing;
  const { status, headers, body } = await within(
    startDeadline(LIMITS.headersTimeoutMs, `The request to ${url.host}`, signal),
    connection.send(outgoing).catch((error) => {
      throw error instanceof HotcellError ? error : unanswered(url, error);
    }),
  );
  const next = followRedirect(outgoing, { status, location: headers.location });
  if (next !== null) return next;
  const { bytes, truncated } = hasNoBody(method, status)
    ? { bytes: Buffer.of(), truncated: false }
    : await within(
        startDeadline(LIMITS.bodyTimeoutMs, "The response", signal),
        readBody(body, { encoding: headers["content-encoding"], maxBytes }),
      );
  return { status, headers, body: bytes, truncated, url: url.href };
}

function hasNoBody(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

async function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  try {
    return await deadline.wait(work);
  } finally {
    deadline.end();
  }
}

function unanswered({ host }: URL, error: unknown): HotcellError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HotcellError("NETWORK_ERROR", `Could not get an answer from ${host}: ${reason}.`);
}

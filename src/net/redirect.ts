// Decides what a redirect leads to. Only the first server gets the headers and the body of a tool: they may have secrets.
import { HotcellError } from "../core/errors.ts";
import { readRequestUrl } from "./request-target.ts";

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that say nothing about the sender. */
const HARMLESS: ReadonlySet<string> = new Set(["accept", "accept-encoding", "accept-language", "user-agent"]);

/** The request that the response asks for; null if the response is the answer. Throws NETWORK_DENIED. */
export function followRedirect(
  request: OutgoingRequest,
  { status, location }: { readonly status: number; readonly location: string | undefined },
): OutgoingRequest | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  const url = readLocation(request.url, location);
  const { method, headers, body } = becomesGet(status, request.method) ? asGet(request) : request;
  const isSameOrigin = url.origin === request.url.origin;
  if (!isSameOrigin && body !== undefined)
    throw refused(request.url, `it would send the body to ${url.host}`);
  const kept = Object.entries(headers).filter(([name]) => isSameOrigin || HARMLESS.has(name));
  return { url, method, headers: Object.fromEntries(kept), ...(body !== undefined && { body }) };
}

function readLocation(from: URL, location: string): URL {
  try {
    return readRequestUrl(location, from);
  } catch (error) {
    throw error instanceof HotcellError ? refused(from, error.message.replace(/\.$/, "")) : error;
  }
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function asGet({ url, headers }: OutgoingRequest): OutgoingRequest {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith("content-"));
  return { url, method: "GET", headers: Object.fromEntries(kept) };
}

function refused(from: URL, problem: string): HotcellError {
  return new HotcellError("NETWORK_DENIED", `Could not follow the redirect of ${from.host}: ${problem}.`);
}

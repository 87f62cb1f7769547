import { once } from "node:events";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "./check-request.ts";

/** A page of another origin can neither embed nor read an answer, and nothing is kept. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const textOf = ({ code, message }: Refusal): string => JSON.stringify({ error: { code, message } });

export function sendRefusal(to: ServerResponse, refusal: Refusal): void {
  to.writeHead(refusal.status, headersOf(refusal));
  to.end(textOf(refusal));
}

/** A request for an upgrade has no response object, and neither has one that is no HTTP. */
export function refuseOnSocket(socket: Duplex, refusal: Refusal): void {
  const { status } = refusal;
  const headers = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", ""].join("\r\n");
  socket.end(head + textOf(refusal), () => socket.destroy());
}

function headersOf(refusal: Refusal): Record<string, string> {
  return {
    ...HEADERS,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(textOf(refusal))),
    // The rest of the request is not read.
    connection: "close",
    ...(refusal.retryAfterSeconds !== undefined && { "retry-after": String(refusal.retryAfterSeconds) }),
    ...(refusal.status === 401 && { "www-authenticate": "Bearer" }),
  };
}

export interface SendOptions {
  /** Aborts when the client has closed the connection. */
  readonly signal: AbortSignal;
  /** A client that does not read what it is sent is dropped after so long. */
  readonly unsentMs: number;
}

/** Sends the parts of the body as they come. */
export async function sendResponse(
  to: ServerResponse,
  from: Response,
  { signal, unsentMs }: SendOptions,
): Promise<void> {
  to.writeHead(from.status, { ...HEADERS, ...Object.fromEntries(from.headers) });
  const reader = from.body?.getReader();
  const sent = async (event: "drain" | "finish") => {
    const timer = setTimeout(() => to.destroy(), unsentMs);
    await once(to, event, { signal }).catch(() => {});
    clearTimeout(timer);
  };
  const leave = () => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  // Otherwise the client of an event stream learns of it with the first event. Other answers go out in one write.
  if (from.headers.get("content-type")?.startsWith("text/event-stream")) to.flushHeaders();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || signal.aborted) break;
    if (!to.write(value)) await sent("drain");
  }
  to.end();
  await sent("finish");
}

// An HTTP server behind the guard, on 127.0.0.1 unless told otherwise. What it serves sees only requests with the token, from a program or from
// a page of its own, with a body that is JSON within its limits.
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import {
  authoritiesOf,
  checkRequest,
  type Guarded,
  hasBody,
  type LocalAddress,
  pathOf,
  type Refusal,
  refuse,
} from "./check-request.ts";
import { readJsonBody } from "./read-body.ts";
import { refuseOnSocket, sendRefusal, sendResponse } from "./send-response.ts";
import type { TokenFile } from "./token-file.ts";

/** `body` is the JSON of the request; undefined if it has none. The request's signal aborts when the client leaves. */
export type HttpHandler = (request: Request, body: unknown) => Promise<Response>;

export interface HttpServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  readonly token: TokenFile;
  /** @default every path needs the token */
  readonly accessOf?: Guarded["accessOf"];
  /**
   * Whether the cookie of a login counts as the token.
   * @default false
   */
  readonly hasLogin?: boolean;
  readonly maxBodyBytes: number;
  readonly handle: HttpHandler;
  /**
   * Takes the connection of a request to upgrade it.
   * @default the request is an ordinary one
   */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Called with an error of `handle`, which is a bug. */
  readonly onError?: (error: unknown) => void;
  readonly limits?: Partial<HttpLimits>;
}

type HttpLimits = { readonly [Name in keyof typeof LIMITS.http]: number };

export interface HttpServer {
  /** With the port, without a path. */
  readonly url: string;
  /** Accepts no more connections. Those that wait for an answer get it. */
  drain(): void;
  /** Ends all connections, except those that `upgrade` took. */
  close(): Promise<void>;
}

export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...LIMITS.http, ...options.limits };
  const open = new Set<ServerResponse>();
  const server = http.createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.lookEveryMs,
      // The guard refuses it: Node's own answer has no security headers.
      requireHostHeader: false,
      // Node 20 and 22 do not know it: with them the listener below gets every upgrade.
      ...{
        shouldUpgradeCallback: (request: IncomingMessage) =>
          options.upgrade !== undefined && isWebSocket(request),
      },
    },
    (request, response) => {
      open.add(response);
      response.on("close", () => open.delete(response));
      void answer(request, response, options, limits);
    },
  );
  server.on("checkExpectation", (_, response) =>
    sendRefusal(response, refuse(417, "the only expectation that it meets is 100-continue")),
  );
  server.on("clientError", (error, socket) => {
    // After the head of an answer, a refusal would count as a part of its body.
    const isAnswered = [...open].some((response) => response.socket === socket && response.headersSent);
    if (isAnswered || !socket.writable) socket.destroy(error);
    else refuseOnSocket(socket, describeClientError(error));
  });
  server.maxConnections = limits.maxConnections;
  if (options.upgrade)
    server.on("upgrade", (request, socket, head) => {
      if (isWebSocket(request)) return upgradeGuarded([request, socket, head], options);
      socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
      server.emit("connection", socket);
    });
  await listen(server, options);
  const closed = once(server, "close");
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${authoritiesOf({ address: reachable(address), port })[0]}`,
    drain: () => void server.close(),
    async close() {
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The guard takes an address at which the request arrived, and none arrives at "all addresses". */
function reachable(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

/** What Node refuses by itself, with the status that Node gives it. */
function describeClientError(error: Error): Refusal {
  switch (osErrorCode(error)) {
    case "HPE_HEADER_OVERFLOW":
      return refuse(431, "its headers are too large");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refuse(413, "the extensions of its chunks are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refuse(408, "it did not arrive in time");
    default:
      return refuse(400, "it is no valid HTTP");
  }
}

async function listen(
  server: http.Server,
  { port, host = "127.0.0.1" }: Pick<HttpServerOptions, "port" | "host">,
): Promise<void> {
  server.listen({ port, host });
  try {
    await once(server, "listening");
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL")
      throw new HotcellError(
        "CONFIG_INVALID",
        `Could not listen on ${quote(host)}: it is no address of this machine. Give one, such as 127.0.0.1.`,
      );
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    const problem = code === "EACCES" ? "this user may not use it" : "another program uses it";
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not listen on port ${port}: ${problem}. Choose another port, or 0 for any free one.`,
    );
  }
}

function localAddressOf({ socket }: IncomingMessage): LocalAddress {
  return { address: socket.localAddress ?? "", port: socket.localPort ?? 0 };
}

const guardedBy = ({ token, accessOf = () => "token", hasLogin = false }: HttpServerOptions): Guarded => ({
  token,
  accessOf,
  hasLogin,
});

/** A client may offer any protocol, such as `h2c`. A server that does not take the offer answers in HTTP/1.1. */
function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** The head of the request as it arrived, but without the offer: Node has not read the body of a request that has one. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function upgradeGuarded(
  [request, socket, head]: [IncomingMessage, Duplex, Buffer],
  options: HttpServerOptions,
): void {
  // Nobody else listens, and an error without a listener would end the process.
  socket.on("error", () => {});
  const refusal = checkRequest(request, localAddressOf(request), guardedBy(options));
  if (refusal === null) options.upgrade!(request, socket, head);
  else refuseOnSocket(socket, refusal);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions,
  { unsentMs, maxOpenBodyBytes }: HttpLimits,
): Promise<void> {
  const { handle, onError } = options;
  const at = localAddressOf(request);
  const left = new AbortController();
  response.on("close", () => left.abort());
  try {
    const guarded = guardedBy(options);
    const refusal = checkRequest(request, at, guarded);
    if (refusal !== null) return sendRefusal(response, refusal);
    const isOpen = guarded.accessOf(pathOf(request)) === "open";
    const maxBodyBytes = isOpen ? maxOpenBodyBytes : options.maxBodyBytes;
    const body = hasBody(request) ? await readJsonBody(request, maxBodyBytes) : { value: undefined };
    if ("status" in body) return sendRefusal(response, body);
    const { signal } = left;
    const answered = await handle(toWebRequest(request, at, signal), body.value);
    await sendResponse(response, answered, { signal, unsentMs });
  } catch (error) {
    // A client that leaves ends the reading of its body with an error.
    if (left.signal.aborted) return;
    onError?.(error);
    if (response.headersSent) response.destroy();
    else sendRefusal(response, INTERNAL);
  }
}

const INTERNAL = {
  status: 500,
  code: "INTERNAL_ERROR",
  message: "Could not answer the request: hotcell has a bug.",
} as const;

function toWebRequest(request: IncomingMessage, at: LocalAddress, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const made = new Request(`http://${authoritiesOf(at)[0]}${request.url}`, {
    method: request.method!,
    headers,
  });
  // Node's own signal of a Request aborts only until the Request is collected, and the work for it takes longer.
  return Object.defineProperty(made, "signal", { value: signal });
}

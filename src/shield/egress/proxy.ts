// The HTTP proxy of a cell. Each request and each tunnel is judged by the host that it names.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HotcellError } from "../../core/errors.ts";
import { formatHostPort, type HostPort, readHostName, readHostPort } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseUrl } from "../../core/parse-url.ts";
import { quote } from "../../core/quote.ts";
import type { NetworkGate } from "./network-gate.ts";
import { tunnel } from "./tunnel.ts";

export interface Proxy {
  /** Serves a client that knows that it speaks to a proxy. */
  accept(client: Socket): void;
  /** Serves a client that believes to speak to `target`. */
  acceptFor(target: HostPort, client: Socket): void;
}

export function createProxy(gate: NetworkGate, signal: AbortSignal): Proxy {
  const connectTo = (target: HostPort) => gate.open(target, signal);

  /** Requests to one host. The first one uses the connection that is open already. */
  const serverFor = (target: HostPort, upstream: Socket | null) => {
    let opened = upstream;
    const take = () => {
      const taken = opened;
      opened = null;
      return taken === null || taken.destroyed ? connectTo(target) : Promise.resolve(taken);
    };
    return createServer((request, response) => {
      const problem = findOtherHost(request, target);
      if (problem !== null) {
        gate.refuse(formatHostPort(target), problem);
        return refuse(response, `the request names another host than ${target.host}`);
      }
      return forward({ request, response, target, path: request.url! }, take);
    });
  };
  const speakHttp = (target: HostPort) => (client: Socket, upstream: Socket) => {
    client.once("close", () => upstream.destroy());
    serverFor(target, upstream).emit("connection", client);
    client.resume();
  };

  const proxy = createServer((request, response) => {
    const asked = readProxyRequest(request);
    if (typeof asked === "string") {
      gate.refuse(namedHost(request.url), asked);
      return refuse(response, asked);
    }
    const { target, path } = asked;
    return forward({ request, response, target, path }, () => connectTo(target));
  });
  proxy.on("connect", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const client = stream as Socket;
    client.on("error", () => client.destroy());
    const target = readNamedTarget(request.url ?? "");
    if (typeof target === "string") {
      gate.refuse(namedHost(request.url), target);
      client.end(refusalText(target));
      return;
    }
    connectTo(target).then(
      (upstream) => {
        if (head.length > 0) client.unshift(head);
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        tunnel(client, upstream, { target, gate, speakHttp: speakHttp(target) });
      },
      (error) => client.end(refusalText(messageOf(error), statusOf(error))),
    );
  });
  return {
    accept: (client) => void proxy.emit("connection", client),
    acceptFor(target, client) {
      client.on("error", () => client.destroy());
      connectTo(target).then(
        (upstream) => tunnel(client, upstream, { target, gate, speakHttp: speakHttp(target) }),
        () => client.destroy(),
      );
    },
  };
}

function createServer(serve: (request: IncomingMessage, response: ServerResponse) => unknown): http.Server {
  const server = http.createServer((request, response) => {
    request.on("error", () => {});
    response.on("error", () => {});
    serve(request, response);
  });
  server.on("clientError", (_error, client) => client.destroy());
  limitHeaders(server);
  return server;
}

interface Client {
  /** Without an end of their answer. */
  requests: number;
  timer: NodeJS.Timeout;
}

/** Ends a client that does not complete the headers of a request: Node checks its own limit in servers that listen only. */
function limitHeaders(server: http.Server): void {
  const clients = new WeakMap<Duplex, Client>();
  const start = (socket: Duplex) => setTimeout(() => socket.destroy(), LIMITS.headersTimeoutMs).unref();
  const leave = (socket: Duplex) => {
    clearTimeout(clients.get(socket)?.timer);
    clients.delete(socket);
  };
  server.on("connection", (socket) => {
    clients.set(socket, { requests: 0, timer: start(socket) });
    socket.once("close", () => leave(socket));
  });
  server.on("connect", (_request, socket) => leave(socket));
  server.on("request", ({ socket }, response) => {
    const client = clients.get(socket);
    if (client === undefined) return;
    client.requests++;
    clearTimeout(client.timer);
    response.once("close", () => {
      client.requests--;
      if (client.requests === 0 && clients.has(socket)) client.timer = start(socket);
    });
  });
}

const BY_NAME = "commands reach hosts by name, not by address";

/** The target of CONNECT; a text if it can't be one. */
function readNamedTarget(text: string): HostPort | string {
  const target = readHostPort(text);
  if (target === null) return "it is no host name with a port";
  return readHostName(target.host) === null ? BY_NAME : target;
}

interface ProxyRequest {
  readonly target: HostPort;
  readonly path: string;
}

/** A request to a proxy has the whole URL. A text if it can't be forwarded. */
function readProxyRequest(request: IncomingMessage): ProxyRequest | string {
  const written = request.url ?? "";
  const url = /^http:\/\//i.test(written) ? parseUrl(written) : null;
  if (url === null) return "it is no request to an http URL";
  if (url.username !== "" || url.password !== "") return "its URL has a user name or a password";
  const target = readNamedTarget(`${url.hostname}:${url.port || 80}`);
  if (typeof target === "string") return target;
  const named = readHostHeader(request, 80);
  if (named === null || formatHostPort(named) !== formatHostPort(target))
    return "its Host header names another host than its URL";
  return { target, path: url.pathname + url.search };
}

/** A URL in the request line counts more than the Host header, so only a path may be there. */
function findOtherHost(request: IncomingMessage, target: HostPort): string | null {
  const named = readHostHeader(request, target.port);
  if (named === null || formatHostPort(named) !== formatHostPort(target))
    return `its request names another host (Host ${quote(request.headers.host)})`;
  return /^\/|^\*$/.test(request.url ?? "") ? null : "its request has a whole URL instead of a path";
}

function readHostHeader({ headers: { host = "" } }: IncomingMessage, port: number): HostPort | null {
  return readHostPort(/:\d+$/.test(host) ? host : `${host}:${port}`);
}

interface Forwarded extends ProxyRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function forward(forwarded: Forwarded, connect: () => Promise<Socket>): Promise<void> {
  const { request, response, path } = forwarded;
  let socket: Socket;
  try {
    socket = await connect();
  } catch (error) {
    refuse(response, messageOf(error), statusOf(error));
    return;
  }
  const upstream = http.request({
    createConnection: () => socket,
    method: request.method!,
    path,
    headers: { ...endToEnd(request.headers), ...framing(request) },
  });
  const end = () => {
    upstream.destroy();
    response.destroy();
  };
  upstream.on("response", (answer) => {
    answer.on("error", end);
    if (isSent(response, answer)) answer.pipe(response);
    else end();
  });
  upstream.on("error", end);
  // A tunnel has paused it.
  upstream.on("socket", () => socket.resume());
  response.on("close", () => upstream.destroy());
  request.on("error", end);
  request.pipe(upstream);
}

/** False if Node, which reads such a status line, writes none like it: `099`, or a reason with control characters. */
function isSent(response: ServerResponse, { statusCode, statusMessage, headers }: IncomingMessage): boolean {
  try {
    response.writeHead(statusCode!, statusMessage, endToEnd(headers));
    return true;
  } catch {
    return false;
  }
}

/** Headers that say where the request goes and ends. Without a length Node would send the body of a GET as further requests. */
function framing({ headers }: IncomingMessage): http.OutgoingHttpHeaders {
  const { host, "content-length": length, "transfer-encoding": coding } = headers;
  if (length !== undefined) return { host, "content-length": length };
  return coding === undefined ? { host } : { host, "transfer-encoding": "chunked" };
}

/** Headers that are about one connection only. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEnd(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const listed = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !listed.includes(name)),
  );
}

function messageOf(error: unknown): string {
  return error instanceof HotcellError ? error.message : "the connection failed";
}

const STATUSES: ReadonlyMap<string, number> = new Map([
  ["NETWORK_DENIED", 403],
  ["TIMEOUT", 504],
]);

function statusOf(error: unknown): number {
  return (error instanceof HotcellError && STATUSES.get(error.code)) || 502;
}

function refuse(response: ServerResponse, reason: string, status = 403): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(`hotcell: ${reason}\n`);
}

function refusalText(reason: string, status = 403): string {
  const body = `hotcell: ${reason}\n`;
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "content-type: text/plain",
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const SHOWN_CHARS = 260;

/** The host that a refused request names, without anything else of its URL. */
function namedHost(text = ""): string {
  const [, place = ""] = /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?([^/?#]*)/is.exec(text.slice(0, SHOWN_CHARS)) ?? [];
  return place;
}

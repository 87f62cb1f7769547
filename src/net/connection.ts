// One HTTP connection, which carries one request at a time. Because its socket is known, everything that a server sends
// counts, also what the parser drops.
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Client } from "undici";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { Dial } from "./dial.ts";
import type { OutgoingRequest } from "./redirect.ts";
import { targetOf } from "./request-target.ts";

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case; values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Has to be read to its end or destroyed with the connection. */
  readonly body: Readable;
}

export interface Connection {
  /** Resolves when the headers are there. */
  send(request: OutgoingRequest): Promise<ResponseHead>;
  /** Whether another request may be sent: it is open, and the last response has ended. */
  readonly isIdle: boolean;
  /** A request that is under way fails with the reason. */
  destroy(reason?: Error): void;
}

/** Dials with the first request. */
export async function openConnection(origin: string, dial: Dial): Promise<Connection> {
  // Loaded with the first request: undici costs more than the rest of hotcell together.
  const { Client, buildConnector } = await import("undici");
  const secure = buildConnector({ timeout: LIMITS.connectTimeoutMs });
  const ending = new AbortController();
  const wire = createWireLimit((error) => destroy(error));
  const client: Client = new Client(origin, {
    maxHeaderSize: LIMITS.maxResponseHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      const use = (socket: Socket) => {
        wire.watch(socket);
        callback(null, socket);
      };
      dial(targetOf(new URL(origin)), ending.signal).then(
        (httpSocket) =>
          options.protocol === "https:"
            ? secure({ ...options, httpSocket }, (...[error, socket]) =>
                error === null ? use(socket) : callback(error, null),
              )
            : use(httpSocket),
        (error) => callback(error, null),
      );
    },
  });
  let isOpen = true;
  let isBusy = false;
  const destroy = (reason: Error = new Error("the connection was ended")) => {
    if (!isOpen) return;
    isOpen = false;
    ending.abort();
    void client.destroy(reason);
  };
  client.on("disconnect", () => destroy());
  return {
    get isIdle() {
      return isOpen && !isBusy;
    },
    destroy,
    send: (request) => {
      isBusy = true;
      wire.begin();
      const onEnd = () => {
        isBusy = false;
      };
      return dispatch(client, request, { onBytes: wire.count, onEnd });
    },
  };
}

/** Legitimate framing is a few bytes for each chunk of at least one byte. */
const MAX_FRAMING_BYTES = 4 * LIMITS.maxResponseHeaderBytes;
const MAX_WIRE_BYTES_PER_BYTE = 16;

interface WireLimit {
  watch(socket: Socket): void;
  begin(): void;
  /** Counts bytes of the body. */
  count(bytes: number): void;
}

/** Ends a response that is mostly framing, such as extensions of its chunks: the limit for bodies does not count these. */
function createWireLimit(exceed: (error: HotcellError) => void): WireLimit {
  let socket: Socket | null = null;
  let beganAt = 0;
  let bodyBytes = 0;
  const check = () => {
    const read = socket!.bytesRead - beganAt;
    if (read <= MAX_FRAMING_BYTES + MAX_WIRE_BYTES_PER_BYTE * bodyBytes) return;
    const problem = `its framing is longer than ${MAX_FRAMING_BYTES} bytes`;
    exceed(new HotcellError("NETWORK_ERROR", `Could not read the response's body: ${problem}.`));
  };
  return {
    watch(connected) {
      socket = connected;
      socket.on("readable", check);
    },
    begin() {
      beganAt = socket?.bytesRead ?? 0;
      bodyBytes = 0;
    },
    count(bytes) {
      bodyBytes += bytes;
    },
  };
}

function dispatch(
  client: Client,
  { url, method, headers, body }: OutgoingRequest,
  { onBytes, onEnd }: { readonly onBytes: (count: number) => void; readonly onEnd: () => void },
): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    let stream: Readable | null = null;
    client.dispatch(
      {
        path: url.pathname + url.search,
        method: method as "GET",
        headers: { ...headers },
        body: body ?? null,
      },
      {
        onRequestStart() {},
        onResponseStart(controller, status, raw) {
          if (status < 200) return;
          stream = new Readable({ read: () => controller.resume() });
          // Whoever does not read the body is not interested in why it does not come.
          stream.on("error", () => {});
          resolve({ status, headers: joinHeaders(raw), body: stream });
        },
        onResponseData(controller, chunk) {
          onBytes(chunk.length);
          if (!stream!.push(chunk)) controller.pause();
        },
        onResponseEnd() {
          onEnd();
          stream!.push(null);
        },
        onResponseError(_controller, error) {
          reject(error);
          stream?.destroy(error);
        },
      },
    );
  });
}

function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const joined = Object.entries(raw).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(joined);
}

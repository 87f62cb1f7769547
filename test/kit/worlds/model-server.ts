// A server on loopback that answers with exact bytes, and records the requests.
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in pieces, one write for each. */
  readonly body: readonly (string | Uint8Array)[];
  /** True: the connection breaks after the body. Otherwise the answer ends normally. */
  readonly breaks?: boolean;
  /** The answer never ends. */
  readonly hangs?: boolean;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form.
  readonly body: any;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: WireRequest[];
  close(): Promise<void>;
}

/** Answers the nth request with the nth answer, and all further ones with the last. */
export async function serveModel(...answers: readonly WireAnswer[]): Promise<ModelServer> {
  const requests: WireRequest[] = [];
  const server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString("utf8");
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body: text === "" ? null : JSON.parse(text) });
    const answer = answers[Math.min(requests.length, answers.length) - 1]!;
    response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream", ...answer.headers });
    response.flushHeaders();
    for (const piece of answer.body) await new Promise<void>((done) => response.write(piece, () => done()));
    if (answer.hangs) return;
    if (answer.breaks) response.destroy();
    else response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

// An HTTP relay on loopback that adds a server's token to each request. `Host` and `Origin` go on as they are, except that
// the relay's own name becomes the server's.
import { once } from "node:events";
import http, { type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

export async function startRelay(target: string, token: string): Promise<Relay> {
  const to = new URL(target);
  const relay = http.createServer((request, response) => {
    const { port } = relay.address() as AddressInfo;
    const rename = (text: string) =>
      text.replace(/^((?:http:\/\/)?(?:127\.0\.0\.1|localhost)):(\d+)$/, (all, name, at) =>
        Number(at) === port ? `${name}:${to.port}` : all,
      );
    const headers: IncomingHttpHeaders = { ...request.headers, authorization: `Bearer ${token}` };
    for (const name of ["host", "origin"] as const)
      if (headers[name] !== undefined) headers[name] = rename(headers[name]);
    const { method, url: path } = request;
    const sent = http.request({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}${to.pathname}`,
    async close() {
      relay.closeAllConnections();
      relay.close();
      await once(relay, "close");
    },
  };
}

import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { httpAnswer, type RawServer, startRawServer } from "../../../test/kit/raw-server.ts";
import { HotcellError } from "../../core/errors.ts";
import type { HostPort } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";
import { createProxy, type Proxy as HttpProxy } from "./proxy.ts";

const TARGET: HostPort = { host: "granted.test", port: 80 };
const REQUEST = "GET /x HTTP/1.1\r\nHost: granted.test\r\n\r\n";
const TO_PROXY = "GET http://granted.test/x HTTP/1.1\r\nHost: granted.test\r\n\r\n";
const CONNECT = "CONNECT granted.test:80 HTTP/1.1\r\nHost: granted.test:80\r\n\r\n";

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: () => boolean;
}

/** A proxy to one server on loopback, which answers when the test wants. */
async function openProxy(answer: (socket: Socket, request: string) => void, dial?: () => Promise<Socket>) {
  const upstream: RawServer = await startRawServer(answer);
  const closing = new AbortController();
  const gate = {
    targets: [],
    hasGrants: true,
    isDirect: false,
    refuse() {},
    noteExcess() {},
    async open() {
      if (dial !== undefined) return dial();
      const socket = net.connect(upstream.port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
  };
  const proxy = createProxy(gate, closing.signal);
  onTestFinished(() => upstream.close());
  const connect = async (accept: (proxy: HttpProxy, client: Socket) => void): Promise<Client> => {
    const server = net.createServer((client) => accept(proxy, client)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
    let [received, closed] = ["", false];
    socket
      .on("data", (chunk) => {
        received += chunk;
      })
      .on("close", () => {
        closed = true;
      })
      .on("error", () => {});
    onTestFinished(() => {
      socket.destroy();
      server.close();
    });
    return { socket, received: () => received, closed: () => closed };
  };
  return { upstream, connect };
}

/** Without timers of the test, which are fake. */
async function until(isTrue: () => boolean): Promise<void> {
  const latest = performance.now() + 20_000;
  while (!isTrue()) {
    if (performance.now() > latest) throw new Error(`It did not become true: ${isTrue}`);
    await setImmediate();
  }
}

describe("a host that could not be reached", () => {
  test.each([
    ["NETWORK_DENIED", 403],
    ["NETWORK_ERROR", 502],
    ["TIMEOUT", 504],
  ] as const)("with %s is the status %i, of a request and of a tunnel", async (code, status) => {
    const { connect } = await openProxy(
      () => {},
      () => Promise.reject(new HotcellError(code, "It failed.")),
    );
    for (const request of [TO_PROXY, CONNECT]) {
      const client = await connect((proxy, socket) => proxy.accept(socket));
      client.socket.write(request);
      await until(client.closed);
      expect(client.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*hotcell: It failed.\n`));
    }
  });
});

/** The limit runs, or does not: then a client may take its time. */
const limitRuns = (runs: boolean) => until(() => vi.getTimerCount() > 0 === runs);
const answerAtOnce = (socket: Socket) => void socket.write(httpAnswer("done"));

describe("a client that does not complete the headers of a request is ended", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return () => vi.useRealTimers();
  });
  const asProxy = (proxy: HttpProxy, client: Socket) => proxy.accept(client);
  const asHost = (proxy: HttpProxy, client: Socket) => proxy.acceptFor(TARGET, client);
  const expectEnd = async ({ closed }: Client) => {
    await limitRuns(true);
    await vi.advanceTimersByTimeAsync(LIMITS.headersTimeoutMs - 1);
    expect([vi.getTimerCount(), closed()]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(1);
    await until(closed);
  };

  test("of the proxy", async () => {
    const { connect } = await openProxy(answerAtOnce);
    const client = await connect(asProxy);
    client.socket.write(TO_PROXY.slice(0, -2));
    await expectEnd(client);
  });

  test("of a host that it believes to speak to", async () => {
    const { connect, upstream } = await openProxy(answerAtOnce);
    const client = await connect(asHost);
    client.socket.write(REQUEST.slice(0, -2));
    await expectEnd(client);
    expect(upstream.requests).toEqual([]);
  });

  test("in a tunnel", async () => {
    const { connect } = await openProxy(answerAtOnce);
    const client = await connect(asProxy);
    client.socket.write(CONNECT);
    await until(() => client.received().includes("200"));
    client.socket.write(REQUEST.slice(0, -2));
    await expectEnd(client);
  });

  test.each([
    ["the proxy", asProxy, TO_PROXY],
    ["a host", asHost, REQUEST],
  ])("in the second request to %s", async (_, accept, request) => {
    const { connect } = await openProxy(answerAtOnce);
    const client = await connect(accept);
    client.socket.write(request);
    await until(() => client.received().endsWith("done"));
    client.socket.write(request.slice(0, -2));
    await expectEnd(client);
  });

  test.each([
    ["the proxy", asProxy, TO_PROXY],
    ["a host", asHost, REQUEST],
  ])(
    "but an answer of %s may take longer, also that of the second of two requests",
    async (_, accept, request) => {
      const waiting: Socket[] = [];
      const { connect } = await openProxy((socket) => void waiting.push(socket));
      const client = await connect(accept);
      client.socket.write(request + request);
      await until(() => waiting.length === 2);
      await limitRuns(false);
      await vi.advanceTimersByTimeAsync(2 * LIMITS.headersTimeoutMs);
      answerAtOnce(waiting[0]!);
      await until(() => client.received().split("done").length === 2);
      await vi.advanceTimersByTimeAsync(2 * LIMITS.headersTimeoutMs);
      answerAtOnce(waiting[1]!);
      await until(() => client.received().split("done").length === 3);
    },
  );

  test("but a tunnel of another protocol may be silent", async () => {
    const { connect, upstream } = await openProxy(() => {});
    const client = await connect(asProxy);
    client.socket.write(CONNECT);
    await until(() => upstream.open.size === 1);
    await limitRuns(false);
    await vi.advanceTimersByTimeAsync(2 * LIMITS.headersTimeoutMs);
    for (const socket of upstream.open) socket.write("hello");
    await until(() => client.received().endsWith("hello"));
  });
});

test.each(["099 X", "000 X"])(
  "an answer with the status %s, which can't be sent on, ends its connection and no other",
  async (status) => {
    let answers = 0;
    const { connect } = await openProxy((socket) =>
      socket.end(answers++ === 0 ? `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n` : httpAnswer("done")),
    );
    const first = await connect((proxy, client) => proxy.accept(client));
    first.socket.write(TO_PROXY);
    await until(first.closed);
    expect(first.received()).toBe("");
    const second = await connect((proxy, client) => proxy.accept(client));
    second.socket.write(TO_PROXY);
    await until(() => second.received().endsWith("done"));
  },
);

// Names that change their addresses between the check and the connection, with servers that really listen on loopback.
import { once } from "node:events";
import net, { Socket } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { httpAnswer, type RawServer, startRawServer } from "../../test/kit/raw-server.ts";
import { LIMITS } from "../core/limits.ts";
import { isPrivateIP } from "./addresses.ts";
import { type Address, type Connect, createDial, type DialOptions, type Resolve } from "./dial.ts";
import { createHttpClient, type HttpClientOptions } from "./http-client.ts";

const NAME = "rebinding.example";
const PUBLIC: Address = { address: "93.184.216.34", family: 4 };
const LOOPBACK: Address = { address: "127.0.0.1", family: 4 };

/** Listens on this machine, and must not be reached. */
let inside: RawServer;
beforeEach(async () => {
  inside = await startRawServer((socket) => socket.write(httpAnswer("inside")));
  onTestFinished(() => inside.close());
});

/** The first answer is public, all others are loopback. */
function rebindingResolver(): Resolve {
  let lookups = 0;
  return async () => [lookups++ === 0 ? PUBLIC : LOOPBACK];
}

function request(options: HttpClientOptions) {
  const client = createHttpClient(options);
  onTestFinished(() => client.close());
  return client.request({ url: `http://${NAME}:${inside.port}/` }, new AbortController().signal);
}

/** Connections to public addresses end at this server; all others go where they lead. */
function connectAround(outside: RawServer): Connect {
  return ([first], port) => {
    const { address } = first!;
    if (isPrivateIP(address)) return net.connect(port, address);
    return Object.defineProperty(net.connect(outside.port, "127.0.0.1"), "remoteAddress", { value: address });
  };
}

async function startOutside(answer: (socket: Socket) => void): Promise<RawServer> {
  const outside = await startRawServer(answer);
  onTestFinished(() => outside.close());
  return outside;
}

const DENIED = {
  code: "NETWORK_DENIED",
  message: `SSRF: private network access denied for ${NAME} (127.0.0.1)`,
};

test("the address is checked on the connected socket: a connection that ends at 127.0.0.1 after a public answer is denied", async () => {
  const options = {
    resolve: async () => [PUBLIC],
    connect: () => net.connect(inside.port, "127.0.0.1"),
  };
  await expect(request(options)).rejects.toMatchObject(DENIED);
  await expect.poll(() => inside.open.size).toBe(0);
  expect(inside.requests).toEqual([]);
  const allowedPrivateHosts = [{ host: NAME, port: inside.port }];
  expect(`${(await request({ ...options, allowedPrivateHosts })).body}`).toBe("inside");
});

test("control: a client that checks a name and then connects to the name is led to loopback by rebinding", async () => {
  const resolve = rebindingResolver();
  const [checked] = await resolve(NAME);
  expect(isPrivateIP(checked!.address)).toBe(false);
  const socket = net.connect({
    host: NAME,
    port: inside.port,
    lookup: (host, _options, callback) => void resolve(host).then((found) => callback(null, [...found])),
  });
  onTestFinished(() => void socket.destroy());
  socket.write(`GET / HTTP/1.1\r\nhost: ${NAME}\r\n\r\n`);
  await once(socket, "data");
  expect(inside.requests.length).toBe(1);
});

test("rebinding live on loopback: a request connects to the address that was checked, and the name is resolved once", async () => {
  const outside = await startOutside((socket) => socket.write(httpAnswer("outside")));
  const { body } = await request({ resolve: rebindingResolver(), connect: connectAround(outside) });
  expect([`${body}`, outside.requests.length, inside.requests.length]).toEqual(["outside", 1, 0]);
});

test("rebinding live on loopback: a redirect to the same name is resolved and checked again", async () => {
  const redirect = `HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n`;
  const outside = await startOutside((socket) => socket.write(redirect));
  const options = { resolve: rebindingResolver(), connect: connectAround(outside) };
  await expect(request(options)).rejects.toMatchObject(DENIED);
  expect([outside.requests.length, inside.requests.length, inside.open.size]).toEqual([1, 0, 0]);
  const allowedPrivateHosts = [{ host: NAME, port: inside.port }];
  const reached = await request({ ...options, resolve: rebindingResolver(), allowedPrivateHosts });
  expect([`${reached.body}`, inside.requests.length]).toEqual(["inside", 1]);
});

describe("connectTimeoutMs ends", () => {
  const silent = Object.defineProperty(new Socket(), "connecting", { value: true });
  test.each<[string, DialOptions]>([
    [
      "a connection that nobody answers, and its socket",
      { resolve: async () => [PUBLIC], connect: () => silent },
    ],
    ["a lookup that nobody answers", { resolve: () => new Promise(() => {}) }],
  ])("%s", async (_what, options) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = vi.fn();
    const dialling = createDial(options)({ host: NAME, port: 443 }, new AbortController().signal).catch(
      failed,
    );
    await vi.advanceTimersByTimeAsync(LIMITS.connectTimeoutMs - 1);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await dialling;
    const message = `Connecting to ${NAME}:443 did not end within ${LIMITS.connectTimeoutMs} ms.`;
    expect(failed.mock.calls).toEqual([[expect.objectContaining({ code: "TIMEOUT", message })]]);
    if (options.connect) expect(silent.destroyed).toBe(true);
  });
});

import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  headersIn,
  readRaw,
  readServerRows,
  sendRaw,
  sendRow,
} from "../../../test/kit/send-corpus-request.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { checkRequest } from "./check-request.ts";
import { type HttpServerOptions, openHttpServer } from "./http-server.ts";
import { openTokenFile } from "./token-file.ts";

async function openWorld(options: Partial<HttpServerOptions> = {}) {
  const token = openTokenFile(tempDir());
  const seen: unknown[] = [];
  const server = await openHttpServer({
    port: 0,
    token,
    maxBodyBytes: 1024 * 1024,
    async handle(request, body) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/api/tools/call") return new Response(null, { status: 404 });
      seen.push(body);
      return Response.json({ ok: true });
    },
    ...options,
  });
  onTestFinished(() => server.close());
  return { ...server, port: Number(new URL(server.url).port), ...token, seen };
}

const post = (port: number, token: string, more = "", body = "{}") =>
  `POST /api/tools/call HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;

describe("the guard answers rows of the corpus", () => {
  // The row with a Content-Length that is too long waits for its time limit: below.
  const rows = readServerRows("baseline", "host", "origin", "csrf", "auth", "body").filter(
    ({ id, request }) => id !== "srv-087" && request.repeat === undefined,
  );
  test.each(rows.map((row) => [row.id, row.reason, row] as const))("%s: %s", async (_id, _reason, row) => {
    const { port, token, seen } = await openWorld();
    const status = await sendRow(row, { port, token });
    if (row.expected === "accept") expect(status).toBe(200);
    // The envelope of a call is checked by the door behind the guard.
    if (row.expected !== "reject") return;
    expect(status === null || status >= 400, `status ${status}`).toBe(true);
    expect(seen).toEqual([]);
    if (row.status !== undefined) expect(String(row.status).split("|")).toContain(String(status));
  });

  test("srv-065: a thousand wrong tokens", async () => {
    const [row] = readServerRows("auth").filter(({ id }) => id === "srv-065");
    const { port, token, seen } = await openWorld();
    for (let i = 0; i < 1000; i++) expect(await sendRow(row!, { port, token })).toBe(401);
    expect(seen).toEqual([]);
    expect(await sendRaw(port, post(port, token))).toBe(200);
  });
});

describe("what the guard refuses beyond the corpus", () => {
  test.each<[string, (port: number, token: string) => string]>([
    ["no Host", (_, token) => `GET /api/tools/call HTTP/1.1\r\nauthorization: Bearer ${token}\r\n\r\n`],
    ["HTTP/1.0 without Host", (_, token) => `GET / HTTP/1.0\r\nauthorization: Bearer ${token}\r\n\r\n`],
    [
      "a whole URL as target",
      (port, token) => post(port, token).replace("POST /", "POST http://evil.example/"),
    ],
    [
      "a target that begins with two slashes",
      (port, token) => post(port, token).replace("POST /", "POST //"),
    ],
    ["a backslash in the target", (port, token) => post(port, token).replace("POST /api", "POST /\\api")],
    [
      "TRACE",
      (port, token) =>
        `TRACE /x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    ],
    ["dot segments", (port, token) => post(port, token).replace("POST /api", "POST /x/../api")],
    ["two tokens", (port, token) => post(port, token, "authorization: Bearer wrong\r\n")],
    [
      "two origins",
      (port, token) =>
        post(port, token, `origin: http://localhost:${port}\r\norigin: http://evil.example\r\n`),
    ],
    ["the origin null", (port, token) => post(port, token, "origin: null\r\n")],
    ["two content types", (port, token) => post(port, token, "content-type: text/plain\r\n")],
    ["a body without its type", (port, token) => post(port, token).replace("content-type", "x-type")],
    ["a body of DELETE", (port, token) => post(port, token).replace("POST", "DELETE")],
    ["a key that comes twice", (port, token) => post(port, token, "", '{"name":"a","name":"b"}')],
    ["bytes that are not UTF-8", (port, token) => post(port, token, "", '{"a":"\xff"}')],
    [
      "the token as a cookie",
      (port, token) => post(port, token).replace("authorization: Bearer ", "cookie: token="),
    ],
    [
      "the token in the query",
      (port, token) => post(port, "x").replace("call HTTP", `call?token=${token} HTTP`),
    ],
    [
      "an upgrade without a token",
      (port) => post(port, "x", "connection: upgrade\r\nupgrade: websocket\r\n"),
    ],
  ])("%s", async (_what, request) => {
    const { port, token, seen } = await openWorld();
    expect(await sendRaw(port, post(port, token)), "the same without the fault").toBe(200);
    seen.length = 0;
    const status = await sendRaw(port, request(port, token));
    expect(status === null || status >= 400, `status ${status}`).toBe(true);
    expect(seen).toEqual([]);
  });

  test("headers that are too large", async () => {
    const { port, token } = await openWorld();
    expect(await sendRaw(port, post(port, token, `x: ${"x".repeat(20_000)}\r\n`))).toBe(431);
  });

  test.each([
    [
      "a slow body, and srv-087",
      (port: number, token: string) => post(port, token).replace("length: 2", "length: 9"),
    ],
    ["a slow head", (port: number, token: string) => post(port, token).slice(0, 60)],
  ])("%s", async (_what, request) => {
    const limits = { headersMs: 50, requestMs: 50, lookEveryMs: 10 };
    const { port, token, seen } = await openWorld({ limits });
    expect(await sendRaw(port, request(port, token))).toBe(408);
    expect(seen).toEqual([]);
  });

  test("a connection beyond the limit is closed, and others go on", async () => {
    const { port, token } = await openWorld({ limits: { maxConnections: 1 } });
    const held = net.connect(port, "127.0.0.1");
    await new Promise((resolve) => held.once("connect", resolve));
    expect(await sendRaw(port, post(port, token))).toBe(null);
    const answered = new Promise((resolve) =>
      held.once("data", (chunk) => resolve(String(chunk).slice(0, 12))),
    );
    held.write(post(port, token));
    expect(await answered).toBe("HTTP/1.1 200");
    held.destroy();
  });
});

describe("what the HTTP parser refuses has the same headers as what the guard refuses", () => {
  test.each<[string, number, (whole: string) => string]>([
    ["bytes that are no HTTP", 400, () => "\x16\x03\x01\r\n\r\n"],
    ["no Host", 400, (whole) => whole.replace(/^host.*\r\n/m, "")],
    ["a slow head", 408, (whole) => whole.slice(0, 60)],
    ["a slow body", 408, (whole) => whole.replace("length: 2", "length: 9")],
    [
      "long extensions of a chunk",
      413,
      (whole) =>
        whole
          .replace("content-length: 2", "transfer-encoding: chunked")
          .replace("{}", `2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    ["an unknown expectation", 417, (whole) => whole.replace("host", "expect: x\r\nhost")],
    ["large headers", 431, (whole) => whole.replace("host", `x: ${"x".repeat(20_000)}\r\nhost`)],
  ])("%s: %i", async (_what, status, change) => {
    const { port, token } = await openWorld({ limits: { headersMs: 50, requestMs: 50, lookEveryMs: 10 } });
    const ofGuard = await readRaw(port, post(port, token).replace("host: 127", "host: 128"));
    expect(headersIn(ofGuard)).toContain("content-security-policy");
    const answer = await readRaw(port, change(post(port, token)));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(headersIn(answer)).toEqual(headersIn(ofGuard));
    const { error } = JSON.parse(answer.split("\r\n\r\n")[1]!);
    expect(error).toEqual({
      code: "REQUEST_REFUSED",
      message: expect.stringMatching(/^Could not take the request: .*\.$/),
    });
  });

  test("it is no part of an answer that has begun", async () => {
    const body = new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([120])) });
    const { port, token } = await openWorld({ handle: async () => new Response(body) });
    const answer = await readRaw(port, `${post(port, token)}\x16\x03\x01\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1/g) ?? []).toHaveLength(1);
  });
});

test.each(["127.0.0.1", "::1", "192.0.2.1"])(
  "on port 80 of %s, Host and Origin come without the port",
  (address) => {
    const token = openTokenFile(tempDir());
    const name = address.includes(":") ? `[${address}]` : address;
    const check = (port: number, host: string, origin: string) => {
      const rawHeaders = ["host", host, "origin", origin, "authorization", `Bearer ${token.token}`];
      const head = { method: "GET", url: "/api/status", rawHeaders };
      return checkRequest(head, { address, port }, { token, accessOf: () => "token", hasLogin: false });
    };
    expect(check(80, name, `http://${name}`)).toBeNull();
    expect(check(80, `${name}:80`, `http://${name}`)).toBeNull();
    expect(check(80, "evil.example", `http://${name}`)).toMatchObject({ status: 421 });
    expect(check(80, name, "http://evil.example")).toMatchObject({ status: 403 });
    expect(check(80, name, `https://${name}`)).toMatchObject({ status: 403 });
    expect(check(8080, name, `http://${name}:8080`)).toMatchObject({ status: 421 });
    expect(check(8080, `${name}:8080`, `http://${name}`)).toMatchObject({ status: 403 });
  },
);

test("a 401 says where the token is", async () => {
  const { url, file } = await openWorld();
  const answer = await fetch(`${url}/api/tools/call`);
  expect(answer.status).toBe(401);
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect(error).toEqual({ code: "UNAUTHORIZED", message: expect.stringContaining(file) });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("a client that leaves aborts the request's signal, and nothing more is sent", async () => {
  let leaves: (value: unknown) => void = () => {};
  const left = new Promise((resolve) => {
    leaves = resolve;
  });
  const { url, token } = await openWorld({
    handle: async ({ signal }) => {
      signal.addEventListener("abort", leaves);
      return new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([120])) }));
    },
  });
  const leave = new AbortController();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: leave.signal });
  expect(answer.status).toBe(200);
  leave.abort();
  await left;
});

test("the client of an event stream learns of it before the first event", async () => {
  const headers = { "content-type": "text/event-stream" };
  const { url, token } = await openWorld({
    handle: async () => new Response(new ReadableStream(), { headers }),
  });
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  await answer.body!.cancel();
});

test("a client that leaves is noticed also if memory was collected since its request", async () => {
  let isNoticed = false;
  const { port, token } = await openWorld({
    handle: async ({ signal }) => {
      signal.addEventListener("abort", () => {
        isNoticed = true;
      });
      return new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([120])) }));
    },
  });
  const client = net.connect(port, "127.0.0.1");
  client.write(post(port, token));
  await once(client, "data");
  setFlagsFromString("--expose-gc");
  for (let round = 0; round < 3; round++) {
    runInNewContext("gc")();
    await setImmediate();
  }
  client.destroy();
  await expect.poll(() => isNoticed).toBe(true);
});

test("a client that does not read what it is sent is dropped, and another one gets everything", async () => {
  const part = new Uint8Array(64 * 1024);
  let isDropped = false;
  const { url, port, token } = await openWorld({
    limits: { unsentMs: 300 },
    async handle({ url: target, signal }) {
      const isEndless = new URL(target).pathname === "/endless";
      if (isEndless) signal.addEventListener("abort", () => (isDropped = true));
      let left = isEndless ? Number.POSITIVE_INFINITY : 100;
      return new Response(new ReadableStream({ pull: (to) => (left-- > 0 ? to.enqueue(part) : to.close()) }));
    },
  });
  const deaf = net.connect(port, "127.0.0.1").pause();
  onTestFinished(() => void deaf.destroy());
  deaf.on("error", () => {});
  deaf.write(post(port, token).replace("/api/tools/call", "/endless"));
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect((await answer.arrayBuffer()).byteLength).toBe(100 * part.length);
  await expect.poll(() => isDropped, { timeout: 20_000 }).toBe(true);
});

test("without a token, no more than 4 KiB of a body are read", async () => {
  const { port, token, seen } = await openWorld({ accessOf: () => "open" });
  const ofLength = (bytes: number) => post(port, token, "", JSON.stringify("x".repeat(bytes - 2)));
  expect(await sendRaw(port, ofLength(4096))).toBe(200);
  expect(await sendRaw(port, ofLength(4097))).toBe(413);
  expect(seen).toHaveLength(1);
  const other = await openWorld();
  expect(
    await sendRaw(other.port, post(other.port, other.token, "", ofLength(4097).split("\r\n\r\n")[1])),
  ).toBe(200);
});

describe("a request that offers another protocol than WebSocket is an ordinary one", () => {
  const OFFER = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAA\r\n";
  const openUpgrading = () =>
    openWorld({ upgrade: (_, socket) => void socket.end("HTTP/1.1 404 Not Found\r\n\r\n") });

  test("its body is read", async () => {
    const { port, token, seen } = await openUpgrading();
    expect(await sendRaw(port, post(port, token, OFFER, '{"n":1}'))).toBe(200);
    expect(seen).toEqual([{ n: 1 }]);
  });

  test("a connection may have any number of them, one after the other", async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on("warning", keep);
    onTestFinished(() => void process.off("warning", keep));
    const { port, token, seen } = await openUpgrading();
    const socket = net.connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    for (let count = 1; count <= 20; count++) {
      socket.write(post(port, token, OFFER));
      await once(socket, "data");
      expect(seen).toHaveLength(count);
    }
    expect(warnings).toEqual([]);
  });

  test("its body may come later, in parts", async () => {
    const { port, token, seen } = await openUpgrading();
    const body = JSON.stringify({ text: "x".repeat(500_000) });
    const socket = net.connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(post(port, token, OFFER, body).slice(0, -body.length));
    for (const part of [body.slice(0, 1), body.slice(1, 100_000), body.slice(100_000)]) {
      await setImmediate();
      socket.write(part);
    }
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/);
    expect(seen).toEqual([JSON.parse(body)]);
  });

  test("it needs the token", async () => {
    const { port, seen } = await openUpgrading();
    expect(await sendRaw(port, post(port, "x", OFFER))).toBe(401);
    expect(seen).toEqual([]);
  });
});

test("an error of the handler is a 500 without its text", async () => {
  const errors: unknown[] = [];
  const { url, token } = await openWorld({
    handle: () => Promise.reject(new Error("secret")),
    onError: (error) => errors.push(error),
  });
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("secret");
  expect(errors).toEqual([new Error("secret")]);
});

describe("the token file", () => {
  test("is made once, for its owner alone, and kept", () => {
    const dir = path.join(tempDir(), "state");
    const { file, token } = openTokenFile(dir);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(openTokenFile(dir)).toEqual({ file, token });
    expect(fs.readdirSync(dir)).toEqual(["http-token"]);
  });

  test.each<[string, (file: string) => void]>([
    ["that others may read", (file) => fs.chmodSync(file, 0o640)],
    ["that is empty", (file) => fs.writeFileSync(file, "")],
    [
      "that is a link",
      (file) => {
        fs.renameSync(file, `${file}.1`);
        fs.symlinkSync(`${file}.1`, file);
      },
    ],
  ])("%s is refused", (_what, spoil) => {
    const dir = tempDir();
    spoil(openTokenFile(dir).file);
    expect(() => openTokenFile(dir)).toThrow("Delete it");
  });
});

test("a port that is taken is said", async () => {
  const { port, file, token } = await openWorld();
  const opening = openHttpServer({
    port,
    token: { file, token },
    maxBodyBytes: 1,
    handle: () => Promise.reject(new Error("unused")),
  });
  await expect(opening).rejects.toThrow(`Could not listen on port ${port}: another program uses it`);
});

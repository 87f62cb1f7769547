// Which requests need the token. The guard judges the path that the router routes, however a client writes it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { sendRaw } from "../../../test/kit/send-corpus-request.ts";
import { openHttpWorld } from "../../../test/kit/worlds/mcp-world.ts";
import { openProbe } from "../../../test/kit/worlds/probe-tool.ts";
import { openServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { OPEN_PATHS } from "./routes/machine-routes.ts";

interface Sent {
  readonly port: number;
  readonly method: string;
  readonly target: string;
  readonly token?: string;
  readonly host?: string;
  readonly headers?: string;
  readonly body?: string;
}

const CALL = '{"name":"probe","arguments":{}}';

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}';

const ACCEPT = "accept: application/json, text/event-stream\r\n";

function send({ port, method, target, token, host = `127.0.0.1:${port}`, headers = "", body = CALL }: Sent) {
  const authorization = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${authorization}${headers}`;
  if (method !== "POST") return sendRaw(port, `${head}\r\n`);
  const content = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return sendRaw(port, head + content);
}

async function openWorld() {
  const { tool, ran } = openProbe();
  return { ...(await openServerWorld({ tools: [tool], rules: ["allow probe"] })), ran };
}

const UPGRADE =
  "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/** Other ways to write `/api/tools/call`, and what they are. */
const SPELLINGS = [
  ["an escaped letter", "/%61pi/tools/call"],
  ["an escaped letter behind /api", "/api/tools/c%61ll"],
  ["an escaped last letter", "/ap%69/tools/call"],
  ["every letter escaped", "/%61%70%69/%74%6F%6F%6C%73/%63%61%6C%6C"],
  ["an escaped slash", "/api%2ftools/call"],
  ["an escaped first slash", "/%2fapi/tools/call"],
  ["a letter escaped twice", "/%2561pi/tools/call"],
  ["two slashes", "//api/tools/call"],
  ["two slashes inside", "/api//tools/call"],
  ["a dot segment", "/./api/tools/call"],
  ["an escaped dot segment", "/%2e/api/tools/call"],
  ["two dots", "/livez/../api/tools/call"],
  ["escaped dots", "/livez/%2e%2e/api/tools/call"],
  ["dots and an escaped slash", "/livez/..%2fapi/tools/call"],
  ["a path parameter", "/api;x/tools/call"],
  ["a path parameter at the end", "/api/tools/call;x"],
  ["capital letters", "/API/tools/call"],
  ["a dot at the end", "/api/tools/call."],
  ["a slash at the end", "/api/tools/call/"],
  ["backslashes", "\\api\\tools\\call"],
  ["a backslash behind a slash", "/\\api/tools/call"],
  ["an escaped backslash", "/api%5ctools/call"],
  ["an overlong escape", "/%c1%a1pi/tools/call"],
  ["an escape that is none", "/%zzapi/tools/call"],
  ["an escaped NUL", "/%00/api/tools/call"],
  ["a fragment of an open path", "/#/api/tools/call"],
  ["a fragment", "/api/tools/call#x"],
  ["an open path and an escaped query", "/livez%3f/api/tools/call"],
  ["only a query", "?/api/tools/call"],
  ["no slash at the beginning", "api/tools/call"],
  ["an asterisk", "*"],
  ["a byte that is not ASCII", "/\xe1pi/tools/call"],
] as const;

describe("a call whose path is written in another way", () => {
  test("is refused, with a token and without, and runs nothing", async () => {
    const { port, token, ran } = await openWorld();
    const request = { port, method: "POST", target: "/api/tools/call" };
    for (const [what, target] of SPELLINGS) {
      expect([400, 401, 404], what).toContain(await send({ ...request, target }));
      expect([400, 404], what).toContain(await send({ ...request, target, token }));
      expect(ran, what).toEqual([]);
    }
    expect(await send(request)).toBe(401);
    expect(await send({ ...request, token })).toBe(200);
    expect(ran).toHaveLength(1);
  });

  test("a whole URL is refused, also one of this server", async () => {
    const { url, port, token, ran } = await openWorld();
    const request = { port, method: "POST", target: `${url}/api/tools/call` };
    expect(await send(request)).toBe(400);
    expect(await send({ ...request, token })).toBe(400);
    expect(ran).toEqual([]);
  });

  test("the name of the server with a dot at the end is refused", async () => {
    const { port, token, ran } = await openWorld();
    const request = { port, method: "POST", target: "/api/tools/call", host: `localhost.:${port}` };
    expect(await send({ ...request, token })).toBe(421);
    expect(ran).toEqual([]);
  });
});

test("only the front page, the two health checks and the login need no token, and other paths have nothing", async () => {
  const { port, token } = await openWorld();
  const status = (method: string, target: string, more = {}) => send({ port, method, target, ...more });
  expect([...OPEN_PATHS].sort()).toEqual(["/", "/api/login", "/livez", "/readyz"]);
  expect(await status("GET", "/")).toBe(200);
  expect(await status("GET", "/livez?")).toBe(200);
  expect(await status("GET", "/readyz")).toBe(200);
  expect(await status("POST", "/api/login"), "the body is no login").toBe(400);
  for (const target of ["/ws", "/mcp", "/mcp/x", "/api", "/api/", "/api/openapi.json", "/api/nothing"])
    expect([target, await status("GET", target)]).toEqual([target, 401]);
  for (const target of ["/nothing", "/livez/", "/index.html", "/apix"])
    for (const more of [{}, { token }])
      expect([target, await status("GET", target, more)]).toEqual([target, 404]);
});

test("a socket opens only with the token, at exactly /ws", async () => {
  const { port, token } = await openWorld();
  const open = (target: string, more = {}) =>
    send({ port, method: "GET", target, headers: UPGRADE, ...more });
  expect(await open("/ws", { token })).toBe(101);
  expect(await open("/ws")).toBe(401);
  for (const target of ["/%77s", "/w%73", "//ws", "/./ws", "/ws/", "/ws;x", "/WS", "/%2577s", "/ws%2f"]) {
    expect([400, 401, 404], target).toContain(await open(target));
    expect([400, 404], target).toContain(await open(target, { token }));
  }
  expect(await open("/livez"), "an open path is no socket").toBe(404);
});

test("mcp --http has no open path", async () => {
  const { url, token } = await openHttpWorld();
  const port = Number(new URL(url).port);
  const message = { port, method: "POST", headers: ACCEPT, body: INITIALIZE };
  const status = (target: string, more = {}) => send({ ...message, target, ...more });
  expect(await status("/mcp")).toBe(401);
  expect(await status("/mcp", { token })).toBe(200);
  for (const target of [
    "/",
    "/livez",
    "/api/login",
    "/%6dcp",
    "/m%63p",
    "//mcp",
    "/mcp/",
    "/mcp;x",
    "/%256dcp",
  ]) {
    expect([400, 401], target).toContain(await status(target));
    expect([400, 404], target).toContain(await status(target, { token }));
  }
});

/** Ways to write a character of a path. */
const writings = (plain: string) => {
  const hex = plain.charCodeAt(0).toString(16).padStart(2, "0");
  const all = [plain, plain.toUpperCase(), `%${hex}`, `%${hex.toUpperCase()}`, `%25${hex}`, `${plain};`];
  return fc.constantFrom(...all, ...(plain === "/" ? ["//", "/./", "/x/../", "\\", "/%2e/", "/.%2e/"] : []));
};

/** Mostly plain, so that single disguised characters are common, too. */
const spellingOf = (path: string) =>
  fc
    .tuple(
      ...[...path].map((plain) => fc.oneof({ weight: 4, arbitrary: fc.constant(plain) }, writings(plain))),
    )
    .map((written) => written.join(""));

test("without a token no spelling of a route answers", async () => {
  const { port, get, ran } = await openWorld();
  const { body: document } = await get("/api/openapi.json");
  const routes = Object.entries(document.paths as Record<string, object>)
    .filter(([path]) => !OPEN_PATHS.has(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, "x")] as const),
    );
  expect(routes.length).toBeGreaterThan(20);
  const requests = fc
    .constantFrom(...routes)
    .chain(([method, path]) =>
      fc.tuple(
        fc.constant(method),
        spellingOf(path),
        fc.constantFrom("", "?", "?x=1", "?/../livez", "#", ";x"),
      ),
    );
  await assertProperty(
    fc.asyncProperty(requests, async ([method, path, end]) => {
      const status = await send({ port, method, target: path + end });
      expect([400, 401, 403, 404, 421], `${method} ${path}${end}`).toContain(status);
    }),
    { numRuns: 2000 },
  );
  expect(ran).toEqual([]);
});

// Every row of http_response.jsonl: what servers send, and what becomes of it.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import zlib from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { createHttpClient, type HttpRequest } from "../../src/net/http-client.ts";
import { truncationNote } from "../../src/net/read-body.ts";
import { decodeBody, safeBodyString } from "../../src/net/safe-body-string.ts";
import { httpAnswer, type RawServer, startRawServer } from "../kit/raw-server.ts";

const LIMIT = LIMITS.maxResponseBytes;
const servers: RawServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answer: (socket: Socket, request: string) => void, host?: string): Promise<RawServer> {
  const server = await startRawServer(answer, host);
  servers.push(server);
  return server;
}

/** One request to servers on loopback that the operator allows. */
async function get(ports: readonly number[], request: Partial<HttpRequest> = {}) {
  const client = createHttpClient({
    allowedPrivateHosts: ports.map((port) => ({ host: "127.0.0.1", port })),
  });
  try {
    const url = `http://127.0.0.1:${ports[0]}/`;
    return await client.request({ url, ...request }, new AbortController().signal);
  } finally {
    await client.close();
  }
}

const fetchFrom = async (
  answer: (socket: Socket, request: string) => void,
  request?: Partial<HttpRequest>,
) => {
  const server = await serve(answer);
  return { server, response: await get([server.port], request) };
};
const failure = expect.objectContaining({ code: "NETWORK_ERROR" });

/** Writes for as long as somebody reads. */
function flood(socket: Socket, chunk: string | Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  pour();
}

const chunked = (encoding = "") =>
  `HTTP/1.1 200 OK\r\n${encoding && `content-encoding: ${encoding}\r\n`}transfer-encoding: chunked\r\n\r\n`;
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

describe("003 HTTP tool response limits: the size of a response", () => {
  test("resp-001 of exactly the limit is whole", async () => {
    const { response } = await fetchFrom((socket) => socket.write(httpAnswer("x".repeat(LIMIT))));
    expect([response.body.length, response.truncated]).toEqual([LIMIT, false]);
  });

  test("resp-002 Response too large: one byte more is cut, and 003's words say so", async () => {
    const { response } = await fetchFrom((socket) => socket.write(httpAnswer("x".repeat(LIMIT + 1))));
    expect([response.body.length, response.truncated]).toEqual([LIMIT, true]);
    expect(truncationNote(LIMIT)).toBe("response body truncated at 10MB limit");
  });

  test("resp-003 an endless stream is cut, and its connection ended", async () => {
    const { server, response } = await fetchFrom((socket) => {
      socket.write(chunked());
      flood(socket, chunk(Buffer.alloc(65_536)));
    });
    expect([response.body.length, response.truncated]).toEqual([LIMIT, true]);
    await vi.waitFor(() => expect(server.open.size).toBe(0));
  });

  test("resp-004 a length that is not sent is an error", async () => {
    const answer = (socket: Socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1000000000000000\r\n\r\nhello");
    await expect(fetchFrom(answer)).rejects.toThrow(failure);
  });

  test("resp-005 what is sent beyond the length is not read", async () => {
    const { response } = await fetchFrom((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${"hello".repeat(20)}`),
    );
    expect(response.body.toString()).toBe("hello");
  });

  const ZEROS = Buffer.alloc(16 * 1024 * 1024);
  test.each([
    ["resp-006", "gzip", zlib.gzipSync(ZEROS)],
    [
      "resp-007",
      "br",
      zlib.brotliCompressSync(ZEROS, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ],
    ["resp-007", "deflate", zlib.deflateSync(ZEROS)],
    ["resp-008", "gzip, gzip", zlib.gzipSync(zlib.gzipSync(ZEROS))],
  ])("%s a bomb of %s is cut by its decoded size", async (_id, encoding, bomb) => {
    const { response } = await fetchFrom((socket) => {
      socket.write(chunked(encoding));
      socket.write(chunk(bomb));
      // The body has no end: it is not waited for.
    });
    expect([response.body.length, response.truncated]).toEqual([LIMIT, true]);
  });

  test("resp-008 a coding that decodes into what the next one never ends reading is an error", async () => {
    const endlessName = Buffer.concat([
      Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.alloc(LIMIT + 1, "a"),
    ]);
    const answer = (socket: Socket) => {
      socket.write(chunked("gzip, gzip"));
      socket.write(chunk(zlib.gzipSync(endlessName)));
    };
    await expect(fetchFrom(answer)).rejects.toThrow(failure);
  });

  test.each(["zstd", "gzip, gzip, gzip", "constructor"])(
    "resp-007 an encoding that was not asked for is an error: %s",
    async (encoding) => {
      const answer = (socket: Socket) => socket.write(httpAnswer("x", `content-encoding: ${encoding}\r\n`));
      await expect(fetchFrom(answer)).rejects.toThrow(failure);
    },
  );

  test("resp-009 a body that drips is ended by its time limit", async () => {
    const server = await serve((socket) => socket.write(`${chunked()}1\r\nx\r\n`));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const timers = vi.spyOn(globalThis, "setTimeout");
    const ended = expect(get([server.port])).rejects.toThrow(
      expect.objectContaining({
        code: "TIMEOUT",
        message: `The response did not end within ${LIMITS.bodyTimeoutMs} ms.`,
      }),
    );
    await vi.waitFor(() => expect(timers).toHaveBeenCalledWith(expect.anything(), LIMITS.bodyTimeoutMs));
    await vi.advanceTimersByTimeAsync(LIMITS.bodyTimeoutMs);
    await ended;
  });

  test("resp-010 headers that drip are ended by their time limit", async () => {
    const server = await serve((socket) => socket.write("HTTP/1.1 200 OK\r\na: "));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const ended = expect(get([server.port])).rejects.toThrow(expect.objectContaining({ code: "TIMEOUT" }));
    await vi.waitFor(() => expect(server.requests.length).toBe(1));
    await vi.advanceTimersByTimeAsync(LIMITS.headersTimeoutMs);
    await ended;
  });

  test.each([
    ["resp-012 100,000 headers", `HTTP/1.1 200 OK\r\n${"set-cookie: a=b\r\n".repeat(100_000)}\r\n`],
    ["resp-014 10 MB of trailers", `${chunked()}1\r\nx\r\n0\r\na: ${"x".repeat(10_000_000)}\r\n\r\n`],
    ["resp-017 a flood of 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000)],
    ["resp-033 a location of 100 kB", `HTTP/1.1 302 Found\r\nlocation: /${"x".repeat(100_000)}\r\n\r\n`],
  ])("%s: an error", async (_title, answer) => {
    await expect(fetchFrom((socket) => socket.write(answer))).rejects.toThrow(failure);
  });

  test("resp-013 a chunk extension of 10 MB is an error", async () => {
    const answer = (socket: Socket) =>
      socket.write(`${chunked()}5;${"x".repeat(10_000_000)}\r\nhello\r\n0\r\n\r\n`);
    await expect(fetchFrom(answer)).rejects.toThrow(
      "Could not read the response's body: its framing is longer than 262144 bytes.",
    );
  });

  test("resp-013 chunk extensions without end are an error, and the connection is ended", async () => {
    const server = await serve((socket) => {
      socket.write(`${chunked()}5;`);
      flood(socket, "x".repeat(65_536));
    });
    await expect(get([server.port])).rejects.toThrow(failure);
    await vi.waitFor(() => expect(server.open.size).toBe(0));
  });

  test("resp-013 a body in chunks of one byte, each with a short extension, is read", async () => {
    const { response } = await fetchFrom((socket) =>
      socket.write(`${chunked()}${"1;a=b\r\nx\r\n".repeat(100_000)}0\r\n\r\n`),
    );
    expect(response.body.toString()).toBe("x".repeat(100_000));
  });

  test("resp-015 HEAD has no body", async () => {
    const { response } = await fetchFrom((socket) => socket.write(httpAnswer("hello")), { method: "HEAD" });
    expect([response.status, response.body.length]).toEqual([200, 0]);
  });

  test.each([204, 304])("resp-016 status %d has no body", async (status) => {
    const { response } = await fetchFrom((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 5\r\n\r\nhello`),
    );
    expect([response.status, response.body.length]).toEqual([status, 0]);
  });
});

describe("003 safe body serialization: the type of a response", () => {
  const text = '{"a":"<b>{{x}}</b>","b":{"c":{}}}';

  test("resp-018 JSON stays JSON with the same values, and no doubled brace is left", () => {
    const shown = safeBodyString(text, "application/json");
    expect(shown).toBe('{"a":"<b>\\u007b{x\\u007d}</b>","b":{"c":{} } }');
    expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  });

  test.each([
    ["resp-019", "text/html"],
    ["resp-020", "TEXT/HTML; charset=utf-8"],
    ["resp-021", 'text/html;foo="application/json"'],
    ["resp-022", "application/xhtml+xml"],
    ["resp-022", "image/svg+xml"],
  ])("%s %s is escaped", (_id, type) => {
    expect(safeBodyString("<script>alert('1')</script>{{x}}", type)).toBe(
      "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&#123;{x&#125;}",
    );
  });

  test("resp-018 a JSON string of 9 MB keeps its value", () => {
    const value = { a: "a".repeat(9_000_000), b: '{{"\\' };
    const safe = safeBodyString(JSON.stringify(value), "application/json");
    expect(JSON.parse(safe)).toEqual(value);
    expect(safe).not.toContain("{{");
  });

  test("resp-025 HTML that calls itself JSON is text, not a page", () => {
    expect(safeBodyString("<b>x</b>", "application/json")).toBe("<b>x</b>");
  });

  test("resp-026 a template in plain text is broken up, never evaluated", () => {
    const template = '{{constructor.constructor("return process")()}}';
    expect(safeBodyString(template, "text/plain")).toBe('{ {constructor.constructor("return process")()} }');
  });

  test.each([
    ["{{{{ }}}}", "{ { { { } } } }"],
    ["{ { spaced", "{ { spaced"],
    ["\\u007b\\u007b", "\\u007b\\u007b"],
  ])("resp-027 %j becomes %j", (body, shown) => {
    expect(safeBodyString(body, "")).toBe(shown);
  });

  test.each(["</tool_result>", "<|im_start|>"])("resp-028 %s is data", (body) => {
    expect(safeBodyString(body, "text/plain")).toBe(body);
  });

  test.each([
    ["bytes that are no UTF-8", Buffer.from([0x61, 0xff]), "text/plain", "a\uFFFD", true],
    ["UTF-16", Buffer.from("a{{", "utf16le"), "text/plain; charset=utf-16le", "a{{", false],
    ["a charset that is not known", Buffer.from("+AHsAew-"), "text/plain; charset=utf-7", "+AHsAew-", true],
  ])("resp-029 %s: decoded, and marked if a part was replaced", (_what, bytes, type, decoded, replaced) => {
    expect(decodeBody(bytes, type)).toEqual({ text: decoded, replaced });
  });

  test("resp-031 deep JSON is not parsed", () => {
    const deep = "[".repeat(1_000_000);
    expect(safeBodyString(deep, "application/json")).toBe(deep);
  });
});

describe("003 redirects and credentials", () => {
  const redirect = (location: string, status = 302) =>
    `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;

  test("resp-032 the body of a redirect is not read", async () => {
    const { server, response } = await fetchFrom((socket, request) => {
      if (request.startsWith("GET /next ")) return socket.write(httpAnswer("here"));
      socket.write("HTTP/1.1 302 Found\r\nlocation: /next\r\ncontent-length: 1073741824\r\n\r\n");
      return flood(socket, Buffer.alloc(65_536));
    });
    expect(response.body.toString()).toBe("here");
    await vi.waitFor(() => expect(server.open.size).toBe(0));
  });

  test("resp-034 a server that asks for credentials gets none", async () => {
    const { server, response } = await fetchFrom((socket) =>
      socket.write("HTTP/1.1 401 No\r\nwww-authenticate: Basic realm=x\r\ncontent-length: 0\r\n\r\n"),
    );
    expect([response.status, server.requests.length]).toEqual([401, 1]);
  });

  const secret = { authorization: "Bearer t0ken", cookie: "a=b", "x-api-key": "k3y" };

  test("resp-035 another origin gets no header of the tool; the same origin gets them again", async () => {
    const other = await serve((socket) => socket.write(httpAnswer("there")));
    const server = await serve((socket, request) => {
      const path = request.split(" ")[1];
      socket.write(redirect(path === "/" ? "/again" : `http://127.0.0.1:${other.port}/`));
    });
    await get([server.port, other.port], { headers: secret });
    expect(server.requests).toEqual([expect.stringContaining("k3y"), expect.stringContaining("k3y")]);
    expect(other.requests).toEqual([expect.not.stringMatching(/t0ken|a=b|k3y/)]);
  });

  test.each([307, 308])("resp-035 a redirect %d takes no body to another origin", async (status) => {
    const other = await serve((socket) => socket.write(httpAnswer("there")));
    const server = await serve((socket) => socket.write(redirect(`http://127.0.0.1:${other.port}/`, status)));
    await expect(get([server.port, other.port], { method: "POST", body: "s3cret" })).rejects.toThrow(
      expect.objectContaining({ code: "NETWORK_DENIED" }),
    );
    expect(other.requests).toEqual([]);
  });

  test("resp-037 an address is refused before TLS begins", async () => {
    const server = await serve(() => {});
    const client = createHttpClient();
    await expect(
      client.request({ url: `https://127.0.0.1:${server.port}/` }, new AbortController().signal),
    ).rejects.toThrow("SSRF: private network access denied for 127.0.0.1 (127.0.0.1)");
    expect(server.open.size).toBe(0);
  });

  test("a redirect loop ends after 5 redirects", async () => {
    let requests = 0;
    const server = await serve((socket) => {
      requests++;
      socket.write(redirect("/"));
    });
    await expect(get([server.port])).rejects.toThrow("redirects more than 5 times");
    expect(requests).toBe(6);
  });

  test("a redirect to an address that is not allowed is refused, and would be followed if it were", async () => {
    const other = await serve((socket) => socket.write(httpAnswer("there")));
    const server = await serve((socket) => socket.write(redirect(`http://127.0.0.1:${other.port}/`)));
    expect((await get([server.port, other.port])).body.toString()).toBe("there");
    await expect(get([server.port])).rejects.toThrow(
      "SSRF: private network access denied for 127.0.0.1 (127.0.0.1)",
    );
    expect(other.requests.length).toBe(1);
  });
});

test("every row of http_response.jsonl is named in a test above", () => {
  const here = readFileSync(new URL(import.meta.url), "utf8");
  const rows = readFileSync(new URL("../corpus/http_response.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const ids: string[] = rows.map((line) => JSON.parse(line).id);
  expect(ids.filter((id) => !here.includes(id))).toEqual([]);
});

import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readServerRows, sendRow } from "../../../test/kit/send-corpus-request.ts";
import { ERAS, openHttpWorld } from "../../../test/kit/worlds/mcp-world.ts";
import { defineTool } from "../../tools/define-tool.ts";

const CLONE = { fs: "overlay", strategy: "clone", toolsets: ["coding", "session"] } as const;

const WRITE = { name: "write_file", arguments: { path: "a.txt", content: "new\n" } };
const READ = { name: "read_file", arguments: { path: "a.txt" } };

interface Structured {
  readonly output?: { readonly session?: string; readonly content?: string };
  readonly error?: { readonly code: string };
  readonly meta?: { readonly session: string };
}

const structured = ({ structuredContent }: { structuredContent?: unknown }) =>
  structuredContent as Structured;

describe.each(ERAS)("sessions as handles, %s", (era) => {
  test("every tool takes the handle that session_create returned, and works in that session", async () => {
    const { connect } = await openHttpWorld(CLONE);
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("session_create");
    expect(tools.filter(({ inputSchema }) => !("session" in (inputSchema.properties ?? {})))).toEqual([]);
    const { output } = structured(await client.callTool({ name: "session_create", arguments: {} }));
    const session = output?.session ?? "";
    const written = await client.callTool({ ...WRITE, arguments: { ...WRITE.arguments, session } });
    expect(structured(written).meta?.session).toBe(session);
    const inHandle = await client.callTool({ ...READ, arguments: { ...READ.arguments, session } });
    expect(structured(inHandle).output?.content).toBe("1\tnew");
    expect(structured(await client.callTool(READ)).error?.code).toBe("NOT_FOUND");
  });

  test("arguments as JSON text name the session too", async () => {
    const { connect } = await openHttpWorld(CLONE);
    const client = await connect(era);
    const { output } = structured(await client.callTool({ name: "session_create", arguments: {} }));
    const session = output?.session ?? "";
    const params = { name: WRITE.name, arguments: JSON.stringify({ ...WRITE.arguments, session }) };
    const request = { method: "tools/call", params } as never;
    const written = (await client.request(request)) as { structuredContent?: unknown };
    expect(structured(written).meta?.session).toBe(session);
  });

  test.each([
    ["what nobody created", "nobody-00000000"],
    ["a name of an object's own", "constructor"],
    ["a path", "../state"],
    ["the newest session", "last"],
  ])("a handle of %s is refused", async (_what, session) => {
    const { connect } = await openHttpWorld(CLONE);
    const client = await connect(era);
    await client.callTool(WRITE);
    const result = await client.callTool({ ...READ, arguments: { ...READ.arguments, session } });
    expect([result.isError, structured(result).error?.code]).toEqual([true, "NOT_FOUND"]);
  });

  test("a session that another process created is not a handle", async () => {
    const { connect } = await openHttpWorld(CLONE);
    const client = await connect(era);
    const own = structured(await client.callTool(WRITE)).meta?.session;
    const result = await client.callTool({ ...READ, arguments: { ...READ.arguments, session: own } });
    expect(structured(result).error?.code).toBe("NOT_FOUND");
  });

  test("a tool with its own argument session keeps it", async () => {
    const tool = defineTool({
      name: "own",
      description: "Has its own argument.",
      input: {
        type: "object",
        properties: { session: { type: "string" } },
        required: ["session"],
        additionalProperties: false,
      },
      danger: "safe",
      run: ({ session }: { session: string }) => ({ session }),
    });
    const { connect } = await openHttpWorld({ tools: [tool] });
    const client = await connect(era);
    const { output } = structured(await client.callTool({ name: "own", arguments: { session: "mine" } }));
    expect(output?.session).toBe("mine");
  });
});

test("clients of an earlier revision have a session each; others share the server's own", async () => {
  const { connect } = await openHttpWorld(CLONE);
  const [first, second, third, fourth] = await Promise.all([
    connect("2025-11-25"),
    connect("2025-11-25"),
    connect("2026-07-28"),
    connect("2026-07-28"),
  ]);
  const sessionOf = async (client: typeof first) => structured(await client.callTool(WRITE)).meta?.session;
  const [a, b, c, d] = [
    await sessionOf(first),
    await sessionOf(second),
    await sessionOf(third),
    await sessionOf(fourth),
  ];
  expect(new Set([a, b, c]).size).toBe(3);
  expect(c).toBe(d);
});

test("a client of an earlier revision that says goodbye leaves its session free", async () => {
  const { connect, stateDir } = await openHttpWorld(CLONE);
  const client = await connect("2025-11-25");
  const id = structured(await client.callTool(WRITE)).meta?.session ?? "";
  const lock = path.join(stateDir, "sessions", id, "lock");
  expect(fs.readdirSync(lock)).not.toEqual(["free"]);
  await (client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
  await expect.poll(() => fs.readdirSync(lock)).toEqual(["free"]);
});

describe("what a request must have", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  };
  const post = (url: string, token: string, body: unknown, headers = {}) =>
    fetch(url, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...headers,
      },
    });

  test("srv-141: a session id that this server did not give is refused, and makes none", async () => {
    const { url, token } = await openHttpWorld();
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await post(url, token, INITIALIZE)).status).toBe(200);
    for (const body of [list, INITIALIZE])
      expect((await post(url, token, body, { "mcp-session-id": "8b9d3f5e-other" })).status).toBe(404);
    expect((await post(url, token, list)).status).toBe(400);
  });

  test("srv-141: a session id is nothing without the token, and does not open a session to the new revision", async () => {
    const { url, token, connect } = await openHttpWorld(CLONE);
    const started = await post(url, token, INITIALIZE);
    const id = started.headers.get("mcp-session-id") ?? "";
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await started.body?.cancel();
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await post(url, "wrong", list, { "mcp-session-id": id })).status).toBe(401);
    const earlier = await connect("2025-11-25");
    const modern = await connect("2026-07-28");
    await earlier.callTool(WRITE);
    expect(structured(await modern.callTool(READ)).error?.code).toBe("NOT_FOUND");
  });

  test("another path is not found", async () => {
    const { url, token } = await openHttpWorld();
    expect((await post(url.replace("/mcp", "/mcp/x"), token, INITIALIZE)).status).toBe(404);
  });

  const LIST = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: INITIALIZE.params,
  });
  const rows = readServerRows("baseline", "host", "origin", "csrf", "auth");
  /** The row's path with the path of MCP in place of the API's; a double slash stays. */
  const toMcp = (path = "") => path.replace(/\/api\/(\/?)(tools\/call|sessions)/, "/$1mcp");
  test.each(rows.map((row) => [row.id, row.reason, row] as const))("%s: %s", async (_id, _reason, row) => {
    const { url, token } = await openHttpWorld();
    const port = Number(new URL(url).port);
    const accept = { accept: "application/json, text/event-stream" };
    const request = { ...row.request, headers: { ...accept, ...row.request.headers } };
    const options = { port, token, path: toMcp(row.request.path), body: LIST };
    for (let i = 0; i < (row.request.repeat ?? 1); i++) {
      const status = await sendRow({ ...row, request }, options);
      if (row.expected === "accept") expect(status).toBe(200);
      if (row.expected !== "reject") continue;
      expect(status).toBeGreaterThanOrEqual(400);
      if (row.status !== undefined) expect(String(row.status).split("|")).toContain(String(status));
    }
    expect((await post(url, token, INITIALIZE)).status, "the server still answers").toBe(200);
  });

  test("every row is sent to the path of MCP, as the row changes it", () => {
    const paths = rows.map(({ request }) => toMcp(request.path));
    expect(new Set(paths)).toEqual(
      new Set([
        "/mcp",
        "",
        "/%61pi/tools/call",
        "//mcp",
        "/healthz/../mcp",
        "/mcp%2f..%2f..%2fhealthz",
        "/mcp?token=${TOKEN}",
      ]),
    );
  });
});

describe("a call ends", () => {
  const open = async () => {
    const events: string[] = [];
    const tool = defineTool({
      name: "waits",
      description: "Waits until it is cancelled.",
      input: { type: "object", properties: {}, additionalProperties: false },
      danger: "safe",
      effect: "read",
      run: (_args, _kit, signal) =>
        new Promise((_, reject) => {
          events.push("begun");
          signal.addEventListener("abort", () => {
            events.push("cancelled");
            reject(signal.reason);
          });
        }),
    });
    const world = await openHttpWorld({ tools: [tool] });
    return { ...world, events };
  };

  test("when a client of 2026-07-28 closes its response", async () => {
    const { connect, events } = await open();
    const client = await connect("2026-07-28");
    const call = client.callTool({ name: "waits" }).catch(() => {});
    await expect.poll(() => events).toEqual(["begun"]);
    await client.close();
    await expect.poll(() => events).toEqual(["begun", "cancelled"]);
    await call;
  });

  test("when a client of an earlier revision ends its session", async () => {
    const { connect, events } = await open();
    const client = await connect("2025-11-25");
    const call = client.callTool({ name: "waits" }).catch(() => {});
    await expect.poll(() => events).toEqual(["begun"]);
    await (client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
    await expect.poll(() => events).toEqual(["begun", "cancelled"]);
    await client.close();
    await call;
  });

  test.each(ERAS)("when the server is closed, %s", async (era) => {
    const { connect, events, close } = await open();
    const client = await connect(era);
    const call = client.callTool({ name: "waits" }).catch(() => {});
    await expect.poll(() => events).toEqual(["begun"]);
    await close();
    expect(events).toEqual(["begun", "cancelled"]);
    await client.close();
    await call;
  });
});

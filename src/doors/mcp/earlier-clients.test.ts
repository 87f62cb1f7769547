import { Server } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { createEarlierClients, type EarlierClientsOptions } from "./earlier-clients.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

function openWorld(options: EarlierClientsOptions = {}) {
  let closed = 0;
  let released = 0;
  const clients = createEarlierClients(
    () => ({
      server: new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } }),
      cell: {
        use: () => Promise.reject(new Error("unused")),
        release: async () => void released++,
        close: async () => void closed++,
      },
    }),
    options,
  );
  const initialize = async (signal: AbortSignal) => {
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, signal });
    return clients.handle(request, INITIALIZE);
  };
  return { clients, initialize, closed: () => closed, released: () => released };
}

test("a client without an open request is forgotten after a while, and its cell is closed", async () => {
  const { initialize, closed } = openWorld({ idleMs: 1 });
  const left = new AbortController();
  expect((await initialize(left.signal)).status).toBe(200);
  await initialize(new AbortController().signal);
  left.abort();
  await expect.poll(closed).toBe(1);
});

describe("the cell of a client without any connection", () => {
  const open = async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const world = openWorld({ goneMs: 1000 });
    onTestFinished(world.clients.close);
    const first = new AbortController();
    const answer = await world.initialize(first.signal);
    await answer.text();
    first.abort();
    const headers = { "mcp-session-id": answer.headers.get("mcp-session-id")!, accept: "text/event-stream" };
    /** Connects, and returns a function that closes the connection. */
    const follow = async () => {
      const left = new AbortController();
      const request = new Request("http://127.0.0.1/mcp", { headers, signal: left.signal });
      const { status, body } = await world.clients.handle(request, undefined);
      expect(status).toBe(200);
      return async () => {
        await body?.cancel();
        left.abort();
      };
    };
    return { ...world, follow };
  };

  test("is released soon after the client closed a response before its end; the client may come back", async () => {
    const { follow, released, closed } = await open();
    const leave = await follow();
    await leave();
    expect(released()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(released()).toBe(1);
    await follow();
    expect(closed()).toBe(0);
  });

  test("stays if all responses were complete, and if the client comes back in time", async () => {
    const { follow, released } = await open();
    vi.advanceTimersByTime(10_000);
    const leave = await follow();
    await leave();
    await follow();
    vi.advanceTimersByTime(10_000);
    expect(released()).toBe(0);
  });
});

test("one client more than the limit takes the place of the one that is idle for longest", async () => {
  const { clients, initialize, closed } = openWorld();
  const busy = new AbortController();
  const idOf = (response: Response) => response.headers.get("mcp-session-id") ?? "";
  for (let i = 0; i < LIMITS.maxMcpClients - 2; i++) await initialize(busy.signal);
  const [first, second] = [new AbortController(), new AbortController()];
  const ids = [idOf(await initialize(first.signal)), idOf(await initialize(second.signal))];
  first.abort();
  second.abort();
  expect((await initialize(busy.signal)).status).toBe(200);
  expect(closed()).toBe(1);
  const statuses = ids.map(async (id) => {
    const headers = { "mcp-session-id": id, accept: "text/event-stream" };
    return (await clients.handle(new Request("http://127.0.0.1/mcp", { headers }), undefined)).status;
  });
  expect(await Promise.all(statuses)).toEqual([404, 200]);
  await clients.close();
});

test("there is a limit to their number; closing ends all of them", async () => {
  const { clients, initialize, closed } = openWorld();
  const { signal } = new AbortController();
  for (let i = 0; i < LIMITS.maxMcpClients; i++) expect((await initialize(signal)).status).toBe(200);
  expect((await initialize(signal)).status).toBe(503);
  await clients.close();
  expect(closed()).toBe(LIMITS.maxMcpClients);
});

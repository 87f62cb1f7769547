// The rows of server.jsonl against a running server. Those about MCP are in the tests of that door.
import net from "node:net";
import { describe, expect, test } from "vitest";
import { connectRaw, encodeFrame, type SocketRow, waitForRefusal } from "../../../test/kit/raw-websocket.ts";
import { readServerRows, sendRaw, sendRow } from "../../../test/kit/send-corpus-request.ts";
import { openServerWorld, type ServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { createStubModel } from "../../../test/kit/worlds/stub-model.ts";

const post = ({ port, token }: ServerWorld, body: string) =>
  `POST /api/tools/call HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const READ = '{"name":"list_directory","arguments":{"path":"."}}';

describe("one server answers all rows", () => {
  const rows = readServerRows("baseline", "host", "origin", "csrf", "auth", "static", "body", "resp");
  test("as each of them says", async () => {
    const world = await openServerWorld();
    const wrong: string[] = [];
    let calls = 0;
    for (const row of rows) {
      const times = row.request.repeat === undefined ? 1 : 20;
      for (let i = 0; i < times; i++) {
        const status = await sendRow(row, world);
        const isAccepted = status !== null && status < 400;
        const isExpected = String(row.status ?? status)
          .split("|")
          .includes(String(status));
        const isRight =
          row.expected === "either" || (row.expected === "accept" ? isAccepted : !isAccepted && isExpected);
        if (!isRight) wrong.push(`${row.id} ${row.reason}: ${status}`);
        if (isAccepted && row.request.method === "POST") calls++;
      }
    }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(5);
    const { body } = await world.get("/api/sessions");
    const { body: log } = await world.get(`/api/sessions/${body.sessions[0].id}/log`);
    const ran = log.records.filter(({ kind }: { kind: string }) => kind === "tool.exec");
    expect(ran, "a refused request runs nothing").toHaveLength(calls);
  });

  test("there are all of them", () => expect(rows.map(({ id }) => id)).toHaveLength(67));
});

describe("the socket answers rows", () => {
  const rows = readServerRows("ws", "ws-frame") as unknown as readonly SocketRow[];

  test.each(rows.map((row) => [row.id, row.reason, row] as const))("%s: %s", async (_id, _reason, row) => {
    const world = await openServerWorld({ agent: { model: createStubModel({ text: "Done." }) } });
    const { headers, token, frames } = row.request;
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replaceAll("${PORT}", `${world.port}`),
    ]);
    const answer = await connectRaw(world.port, {
      ...Object.fromEntries(filled),
      ...(token !== null && { authorization: `Bearer ${world.token}` }),
    });
    if (row.cat === "ws") {
      expect(answer.status === 101).toBe(row.expected === "accept");
      if (row.status !== undefined) expect(answer.status).toBe(row.status);
      answer.socket.destroy();
      return;
    }
    expect(answer.status).toBe(101);
    const refused = waitForRefusal(answer.socket);
    for (const frame of frames) for (const bytes of encodeFrame(frame)) answer.socket.write(bytes);
    expect(await refused).toMatch(/^(error|closed)$/);
    expect((await world.get("/api/runs")).body.runs).toEqual([]);
    expect((await world.get("/livez")).status).toBe(200);
    answer.socket.destroy();
  });
});

describe("answers", () => {
  test("srv-144: every answer has the security headers, and no CORS", async () => {
    const { url } = await openServerWorld();
    for (const at of ["/", "/livez", "/nothing", "/api/status"]) {
      const { headers } = await fetch(url + at);
      const csp = headers.get("content-security-policy");
      expect(csp).toContain("default-src 'self'");
      expect(csp).toContain("frame-ancestors 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });

  test("srv-145: an error is JSON, whatever it quotes", async () => {
    const world = await openServerWorld();
    const answer = await world.post("/api/tools/call", {
      name: "read_file",
      arguments: { path: "<img src=x onerror=alert(1)>" },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: false } });
    expect(answer.headers.get("content-type")).toBe("application/json");
  });
});

describe("too much", () => {
  const connectAll = (count: number, port: number, bytes: string) =>
    Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise<net.Socket>((resolve) => {
            const socket = net.connect(port, "127.0.0.1", () => {
              socket.write(bytes);
              resolve(socket);
            });
            socket.on("error", () => {});
          }),
      ),
    );

  test("srv-095, srv-096: slow bodies and half-open handshakes keep nobody else from being served", async () => {
    const world = await openServerWorld();
    const slow = await connectAll(200, world.port, post(world, READ).slice(0, -5));
    const half = await connectAll(500, world.port, "GET /ws HTTP/1.1\r\nupgrade: websocket\r\n");
    expect((await world.get("/api/status")).status).toBe(200);
    for (const socket of [...slow, ...half]) socket.destroy();
  });

  test("srv-099: of 1000 calls at once each is answered, or refused with the time to retry", async () => {
    const world = await openServerWorld();
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, () => sendRaw(world.port, post(world, READ))),
    );
    const counts = new Map<number | null, number>();
    for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(
      [...counts.keys()].filter((status) => status !== 200 && status !== 429 && status !== null),
    ).toEqual([]);
    expect(counts.get(200)).toBeGreaterThan(0);
    expect((await world.post("/api/tools/call", JSON.parse(READ))).body.success).toBe(true);
  });
});

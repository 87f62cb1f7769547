// What the server takes at once, and what it says to those who come after.
import type { IncomingMessage } from "node:http";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { type ChatSocket, openChatSocket } from "../../../test/kit/worlds/chat-socket.ts";
import { connectClient, ERAS } from "../../../test/kit/worlds/mcp-world.ts";
import { openProbe } from "../../../test/kit/worlds/probe-tool.ts";
import { type Answer, openServerWorld, type ServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { createStubModel } from "../../../test/kit/worlds/stub-model.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineTool } from "../../tools/define-tool.ts";

const { maxRequests, maxQuestions, maxRuns, maxSockets, maxFollowed, maxFramesPerSecond, maxUnsentBytes } =
  LIMITS.server;
const agent = { model: createStubModel({ text: "Done." }) };

function readRefusal({ url, token }: ServerWorld): Promise<IncomingMessage> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_, answer) => resolve(answer));
    socket.on("open", () => reject(new Error("It was not refused.")));
    socket.on("error", () => {});
  });
}

const isError = ({ type }: { readonly type: string }) => type === "chat:error";

async function nextError(chat: ChatSocket) {
  await chat.until(() => chat.frames.some(isError));
  return chat.frames.find(isError);
}

/** A tool whose calls wait until `open` is called. */
function openSlow() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  let started = 0;
  const slow = defineTool({
    name: "slow",
    description: "Waits.",
    input: { type: "object" },
    async run() {
      started++;
      await passed;
      return {};
    },
  });
  return { slow, open: () => open(), started: () => started };
}

test(`of more than ${maxRequests} requests at once the others get 429 with the seconds to wait, and none is lost`, async () => {
  const { slow, open } = openSlow();
  const { get, post } = await openServerWorld({ tools: [slow], rules: ["allow slow"] });
  const refused: Answer[] = [];
  const all = Array.from({ length: maxRequests + 10 }, async () => {
    const answer = await post("/api/tools/call", { name: "slow" });
    if (answer.status === 429) refused.push(answer);
    return answer.status;
  });
  await vi.waitUntil(() => refused.length === 10, { timeout: 50_000 });
  expect((await get("/livez")).status, "what watches the server is answered").toBe(200);
  open();
  expect((await Promise.all(all)).filter((status) => status === 200)).toHaveLength(maxRequests);
  for (const { body, headers } of refused)
    expect([body.error.code, headers.get("retry-after")]).toEqual(["UNAVAILABLE", "1"]);
  expect((await get("/api/status")).status).toBe(200);
});

test(`while ${maxRequests} requests are under way, questions, the login and cancelling a run are answered`, async () => {
  const { slow, open, started } = openSlow();
  const { tool } = openProbe();
  const rules = ["allow slow"];
  const { get, post, token } = await openServerWorld({ tools: [slow, tool], rules, agent });
  const asked = post("/api/tools/call", { name: "probe" });
  await vi.waitUntil(async () => (await get("/api/approvals")).body.questions.length === 1);
  const { run } = (await post("/api/runs", { content: "go" })).body;
  const calls = Array.from({ length: maxRequests - 1 }, () => post("/api/tools/call", { name: "slow" }));
  await vi.waitUntil(() => started() === maxRequests - 1, { timeout: 50_000 });
  expect((await get("/api/status")).status).toBe(429);
  expect((await post("/api/login", { token })).status).toBe(200);
  expect((await post(`/api/runs/${run}/cancel`)).status).toBe(200);
  const [{ id, digest }] = (await get("/api/approvals")).body.questions;
  expect((await post(`/api/approvals/${id}`, { approved: true, digest })).status).toBe(200);
  expect((await asked).body.success).toBe(true);
  open();
  await Promise.all(calls);
});

test(`${maxRequests} calls of an MCP client of an earlier revision count as requests; its stream for notifications does not`, async () => {
  const { slow, open, started } = openSlow();
  const { url, token, get } = await openServerWorld({ tools: [slow], rules: ["allow slow"] });
  const client = await connectClient(`${url}/mcp`, token, "2025-11-25");
  const calls = Array.from({ length: maxRequests }, () => client.callTool({ name: "slow", arguments: {} }));
  await vi.waitUntil(() => started() === maxRequests, { timeout: 50_000 });
  expect(await get("/api/status")).toMatchObject({ status: 429, body: { error: { code: "UNAVAILABLE" } } });
  open();
  expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
  await vi.waitUntil(async () => (await get("/api/status")).status === 200, { timeout: 50_000 });
});

test("requests for the head of an MCP answer, whose body nobody reads, take no place of others", async () => {
  const { url, token, get } = await openServerWorld();
  const head = { method: "HEAD", headers: { authorization: `Bearer ${token}` } };
  for (let sent = 0; sent < maxRequests; sent++) await fetch(`${url}/mcp`, head);
  expect((await get("/api/status")).status).toBe(200);
});

test.each(ERAS)(
  "a server that closes lets calls of MCP clients of %s end, and their answers arrive",
  async (era) => {
    const { slow, open, started } = openSlow();
    const { server, url, token } = await openServerWorld({ tools: [slow], rules: ["allow slow"] });
    const client = await connectClient(`${url}/mcp`, token, era);
    const call = client.callTool({ name: "slow", arguments: {} }, { onprogress: () => {} });
    await vi.waitUntil(() => started() === 1, { timeout: 50_000 });
    const closed = server.close();
    expect((await fetch(`${url}/livez`).catch(() => ({ status: 503 }))).status).toBe(503);
    open();
    expect(await call).toMatchObject({ structuredContent: { success: true } });
    await closed;
  },
);

test(`while ${maxQuestions} questions wait, calls and runs are refused; an answer makes room`, async () => {
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool], agent });
  const { get, post } = world;
  const chat = await openChatSocket(world);
  const { run } = (await post("/api/runs", { content: "go" })).body;
  await vi.waitUntil(async () => (await get(`/api/runs/${run}`)).body.state === "ended", { timeout: 50_000 });
  const calls = Array.from({ length: maxQuestions }, (_, at) =>
    post("/api/tools/call", { name: "probe", arguments: {}, id: `c${at}` }),
  );
  const asked = () => chat.frames.filter(({ type }) => type === "approval:asked");
  await chat.until(() => asked().length === maxQuestions);
  const refused = await post("/api/tools/call", { name: "probe" });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: "UNAVAILABLE" } } });
  expect(refused.headers.get("retry-after")).toBe("5");
  chat.send({ type: "chat:send", content: "go" });
  expect(await nextError(chat)).toMatchObject({ code: "UNAVAILABLE" });
  const { lastSeq } = (await get(`/api/runs/${run}`)).body;
  for (const [route, body] of [
    ["/api/runs", { content: "go" }],
    [`/api/runs/${run}/send`, { content: "go on" }],
    [`/api/runs/${run}/resume`, {}],
  ] as const)
    expect(await post(route, body), route).toMatchObject({
      status: 429,
      body: { error: { code: "UNAVAILABLE" } },
    });
  expect((await get(`/api/runs/${run}`)).body.lastSeq).toBe(lastSeq);
  expect((await get("/api/runs")).body.runs).toHaveLength(1);
  expect((await get("/api/approvals")).body.questions).toHaveLength(maxQuestions);

  const [first, ...others] = asked();
  const answer = (one: ReturnType<typeof asked>[number], approved: boolean) =>
    post(`/api/approvals/${one.id}`, { approved, digest: one.digest });
  await answer(first!, true);
  await chat.until(() => chat.frames.some(({ type }) => type === "approval:answered"));
  const other = await openChatSocket(world);
  other.send({ type: "chat:send", content: "go" });
  await other.next("chat:stream-end");
  expect((await post(`/api/runs/${run}/send`, { content: "go on" })).status).toBe(200);
  await Promise.all(others.map((one) => answer(one, false)));
  const results = (await Promise.all(calls)).map(({ body }) => body.success);
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(ran).toHaveLength(1);
});

test.each(ERAS)(`questions of MCP clients of %s count among the ${maxQuestions}`, async (era) => {
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool] });
  const { url, token, get, post } = world;
  let answer = (_: ElicitResult) => {};
  const answered = new Promise<ElicitResult>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const client = await connectClient(`${url}/mcp`, token, era, { elicitation: { form: {} } }, (made) =>
    made.setRequestHandler("elicitation/create", () => {
      asked++;
      return answered;
    }),
  );
  const call = () => client.callTool({ name: "probe", arguments: {} });
  const calls = Array.from({ length: maxQuestions }, call);
  await vi.waitUntil(() => asked === maxQuestions, { timeout: 50_000 });
  expect(await call()).toMatchObject({ structuredContent: { error: { code: "DENIED" } } });
  expect((await post("/api/tools/call", { name: "probe" })).status).toBe(429);
  expect((await get("/api/approvals")).body.questions).toHaveLength(maxQuestions);
  answer({ action: "accept", content: { answer: "once" } });
  await Promise.all(calls);
  expect([asked, ran.length]).toEqual([maxQuestions, maxQuestions]);
});

test(`of more than ${maxRuns} runs at once the others get 429 with the seconds to wait, and leave no session`, async () => {
  const { get, post } = await openServerWorld({ agent: { model: createStubModel({ hangs: true }) } });
  const { id: session } = (await post("/api/sessions")).body;
  for (let at = 1; at < maxRuns; at++) await post("/api/runs", { content: "go", session });
  const last = await Promise.all(Array.from({ length: 5 }, () => post("/api/runs", { content: "go" })));
  expect(last.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
  for (const { body, headers } of last.filter(({ status }) => status === 429))
    expect([body.error.code, headers.get("retry-after")]).toEqual(["UNAVAILABLE", "5"]);
  expect((await get("/api/sessions")).body.sessions).toHaveLength(2);
});

test(`of ${maxSockets} sockets and one more the last is told when to come again, and may when one has left`, async () => {
  const world = await openServerWorld();
  const chats = await Promise.all(Array.from({ length: maxSockets }, () => openChatSocket(world)));
  const { statusCode, headers } = await readRefusal(world);
  expect({ statusCode, wait: headers["retry-after"] }).toEqual({ statusCode: 429, wait: "5" });
  chats[0]!.socket.close();
  await chats[0]!.closed;
  await vi.waitUntil(() => openChatSocket(world).catch(() => null), { timeout: 50_000 });
});

test(`a socket follows ${maxFollowed} runs; one more is not started, and another socket may start it`, async () => {
  const world = await openServerWorld({ agent });
  const chat = await openChatSocket(world);
  const { id: sessionId } = (await world.post("/api/sessions")).body;
  for (let at = 0; at < maxFollowed; at++) {
    chat.send({ type: "chat:send", content: `${at}`, sessionId });
    await chat.next("chat:stream-end");
  }
  chat.send({ type: "chat:send", content: "one more", sessionId });
  expect(await nextError(chat)).toMatchObject({ code: "UNAVAILABLE" });
  expect((await world.get("/api/runs")).body.runs).toHaveLength(maxFollowed);
  const { conversationId } = chat.frames.find(({ type }) => type === "chat:stream-end")!;
  const ended = () => chat.frames.filter(({ type }) => type === "chat:stream-end").length;
  chat.send({ type: "chat:send", content: "again", conversationId });
  await chat.until(() => ended() === maxFollowed + 1);
  const other = await openChatSocket(world);
  other.send({ type: "chat:send", content: "one more", sessionId });
  await other.next("chat:stream-end");
});

test(`more than ${maxFramesPerSecond} frames in a second close the socket, and no other`, async () => {
  const world = await openServerWorld();
  const [chat, other] = [await openChatSocket(world), await openChatSocket(world)];
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  for (let at = 0; at < maxFramesPerSecond; at++) chat.send({});
  await chat.until(() => chat.frames.length === maxFramesPerSecond);
  expect(chat.frames.every(({ code }) => code === "INVALID_ARGUMENTS")).toBe(true);
  chat.send({});
  expect(await chat.closed).toBe(1008);
  other.send({});
  expect(await nextError(other)).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

test("a client that never reads is dropped, and another one gets everything meanwhile", async () => {
  const { tool } = openProbe();
  const world = await openServerWorld({ tools: [tool] });
  const [deaf, other] = [await openChatSocket(world), await openChatSocket(world)];
  deaf.socket.pause();
  const text = "x".repeat(LIMITS.server.maxBodyBytes - 1024);
  // Beside what the server keeps, the kernel keeps some for both ends of a connection.
  const count = Math.ceil((maxUnsentBytes + KERNEL_BYTES) / text.length);
  for (let at = 0; at < count; at++) {
    const answered = world.post("/api/tools/call", { name: "probe", arguments: { text }, id: `c${at}` });
    const { callId, digest } = await other.next("approval:asked");
    expect(callId).toBe(`c${at}`);
    other.send({ type: "chat:tool-approve", toolId: callId, digest, approved: false });
    expect((await answered).body.error.code).toBe("DENIED");
    await other.next("approval:answered");
  }
  const hasAll = deaf.until(() => deaf.frames.length === other.frames.length).then(() => "has all");
  deaf.socket.resume();
  expect(await Promise.race([deaf.closed, hasAll])).toBe(1006);
  expect(other.frames.filter(({ type }) => type === "approval:asked")).toHaveLength(count);
});

const KERNEL_BYTES = 16 * 1024 * 1024;

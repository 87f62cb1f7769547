import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type ChatSocket, openChatSocket } from "../../../test/kit/worlds/chat-socket.ts";
import { openProbe } from "../../../test/kit/worlds/probe-tool.ts";
import { openServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { createStubModel, type StubTurn } from "../../../test/kit/worlds/stub-model.ts";
import { openModel } from "../../models/open-model.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { ServerOptions } from "./open-server.ts";

const agent = { model: openModel({ model: "scripted" }) };

async function openChat(options: Partial<ServerOptions> = {}) {
  const world = await openServerWorld({ agent, ...options });
  return { ...world, chat: await openChatSocket(world) };
}

/** A run whose call asks first. */
async function openAsking(options: Partial<ServerOptions> = {}) {
  const { ran, tool } = openProbe();
  const model = createStubModel({ calls: [["probe", { text: "shown" }]] }, { text: "Done." });
  const world = await openChat({ agent: { model }, tools: [tool], ...options });
  world.chat.send({ type: "chat:send", content: "go" });
  return { ...world, ran, confirm: await world.chat.next("chat:tool-confirm") };
}

const typesOf = ({ frames }: ChatSocket) =>
  frames.filter(({ type }) => type.startsWith("chat:")).map(({ type }) => type);

describe("a run over the socket", () => {
  test("chat:send starts it, and its events come in order: start, tool-start, tool-result, text, end", async () => {
    const { chat, root } = await openChat();
    chat.send({ type: "chat:send", content: "write b.txt hello" });
    const start = await chat.next("chat:stream-start");
    await chat.next("chat:stream-end");
    expect([...new Set(typesOf(chat))]).toEqual([
      "chat:stream-start",
      "chat:message",
      "chat:tool-start",
      "chat:tool-result",
      "chat:text-delta",
      "chat:stream-end",
    ]);
    const own = chat.frames.filter(({ type }) => type.startsWith("chat:"));
    expect(own.every(({ conversationId }) => conversationId === start.conversationId)).toBe(true);
    const seqs = own.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(fs.existsSync(path.join(root, "b.txt"))).toBe(false);
  });

  test("chat:stream-start has the session, and session:changed names it", async () => {
    const { chat, get } = await openChat();
    chat.send({ type: "chat:send", content: "write b.txt hello" });
    const { sessionId } = await chat.next("chat:stream-start");
    expect(await chat.next("session:changed")).toEqual({ type: "session:changed", sessionId });
    await chat.next("chat:stream-end");
    expect((await get(`/api/sessions/${sessionId}/diff`)).body.changes).toMatchObject([{ path: "b.txt" }]);
  });

  test("chat:tool-start and chat:tool-result have 004's fields", async () => {
    const { chat } = await openChat();
    chat.send({ type: "chat:send", content: "read a.txt" });
    const start = await chat.next("chat:tool-start");
    expect(start).toEqual({
      type: "chat:tool-start",
      seq: expect.any(Number),
      conversationId: expect.stringMatching(/^run_/),
      messageId: `${start.conversationId}.m1`,
      toolId: expect.stringContaining(start.conversationId),
      toolName: "read_file",
      input: { path: "a.txt" },
    });
    expect(await chat.next("chat:tool-result")).toEqual({
      type: "chat:tool-result",
      seq: expect.any(Number),
      conversationId: start.conversationId,
      messageId: start.messageId,
      toolId: start.toolId,
      toolName: "read_file",
      status: "success",
      result: expect.stringContaining("hello"),
      metadata: { outcome: "executed_ok" },
    });
    await chat.next("chat:stream-end");
  });

  test("chat:text-delta has 004's fields: the text of one answer, with its messageId", async () => {
    const model = createStubModel(
      { text: "Reading. ", calls: [["read_file", { path: "a.txt" }]] },
      { text: "Done." },
    );
    const { chat } = await openChat({ agent: { model } });
    chat.send({ type: "chat:send", content: "go" });
    const { conversationId } = await chat.next("chat:stream-start");
    await chat.next("chat:stream-end");
    const delta = { type: "chat:text-delta", seq: expect.any(Number), conversationId };
    expect(chat.frames.filter(({ type }) => type === "chat:text-delta")).toEqual([
      { ...delta, messageId: `${conversationId}.m1`, content: "Reading. " },
      { ...delta, messageId: `${conversationId}.m2`, content: "Done." },
    ]);
  });

  test("chat:stream-end has 004's fields: the last messageId, why the run stopped, and what it used", async () => {
    const { chat } = await openChat({ agent: { model: createStubModel({ text: "Done." }) } });
    chat.send({ type: "chat:send", content: "go" });
    const { conversationId } = await chat.next("chat:stream-start");
    expect(await chat.next("chat:stream-end")).toEqual({
      type: "chat:stream-end",
      seq: expect.any(Number),
      conversationId,
      messageId: `${conversationId}.m1`,
      stop: "done",
      usage: expect.objectContaining({ inputTokens: 100, outputTokens: 10, calls: 0 }),
    });
  });

  test("chat:thinking-delta has what the model thinks", async () => {
    const { chat } = await openChat({ agent: { model: createStubModel({ thinking: "hm", text: "Done." }) } });
    chat.send({ type: "chat:send", content: "go" });
    expect(await chat.next("chat:thinking-delta")).toMatchObject({
      content: "hm",
      messageId: expect.any(String),
    });
    await chat.next("chat:stream-end");
  });

  test("chat:error ends a run that fails, with its code", async () => {
    const { chat } = await openChat({ agent: { model: createStubModel({ error: "MODEL_AUTH" }) } });
    chat.send({ type: "chat:send", content: "go" });
    await expect(chat.next("chat:stream-end")).rejects.toThrow("an error instead");
    const error = chat.frames.find(({ type }) => type === "chat:error");
    expect(error).toMatchObject({ code: "MODEL_AUTH", stop: "error" });
  });

  test("history of user and assistant goes before the message, and the run continues with conversationId", async () => {
    const { chat, get } = await openChat();
    const history = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
    ];
    chat.send({ type: "chat:send", content: "list", history });
    const { conversationId } = await chat.next("chat:stream-end");
    chat.send({ type: "chat:send", content: "read a.txt", conversationId });
    await chat.next("chat:stream-end");
    const { body } = await get(`/api/runs/${conversationId}`);
    const said = body.messages.filter(({ role }: { role: string }) => role === "user");
    expect(said.map(({ content }: { content: string }) => content)).toEqual(["hi", "list", "read a.txt"]);
    expect(body).toMatchObject({ state: "ended", stop: "done", model: "scripted/commands" });
  });

  test("chat:cancel ends it; another socket must follow it first, and leaving cancels nothing", async () => {
    const world = await openAsking();
    const { chat, confirm, ran } = world;
    const { conversationId } = confirm;
    const other = await openChatSocket(world);
    other.send({ type: "chat:cancel", conversationId });
    await expect(other.next("chat:stream-end")).rejects.toThrow("does not follow");
    const third = await openChatSocket(world);
    third.send({ type: "chat:resume", conversationId, resumeFrom: 0 });
    await third.next("chat:tool-confirm");
    chat.socket.terminate();
    third.send({ type: "chat:cancel", conversationId });
    expect(await third.next("chat:stream-end")).toMatchObject({ stop: "cancelled" });
    expect(ran).toEqual([]);
  });
});

describe("questions over the socket", () => {
  test("chat:tool-confirm has digest, rule and diff; AC-34: chat:tool-approve answers the call of its toolId", async () => {
    const { chat, confirm, ran } = await openAsking();
    expect(confirm).toMatchObject({
      toolName: "probe",
      input: { text: "shown" },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      rule: "trust level guided",
      diff: null,
    });
    const asked = await chat.next("approval:asked");
    expect(asked).toMatchObject({ callId: confirm.toolId, digest: confirm.digest });
    const { toolId, digest } = confirm;
    chat.send({ type: "chat:tool-approve", toolId, digest, approved: true });
    expect(await chat.next("chat:tool-result")).toMatchObject({ toolId, status: "success" });
    expect(await chat.next("approval:answered")).toMatchObject({
      id: asked.id,
      callId: toolId,
      approved: true,
    });
    await chat.next("chat:stream-end");
    expect(ran).toEqual([{ text: "shown" }]);
  });

  test("a write shows its diff", async () => {
    const model = createStubModel(
      { calls: [["write_file", { path: "a.txt", content: "new\n" }]] },
      { text: "Done." },
    );
    const { chat } = await openChat({ agent: { model }, trust: "supervised" });
    chat.send({ type: "chat:send", content: "go" });
    const { diff, toolId, digest } = await chat.next("chat:tool-confirm");
    expect(diff).toContain("-hello");
    expect(diff).toContain("+new");
    chat.send({ type: "chat:tool-approve", toolId, digest, approved: false, reason: "not now" });
    expect((await chat.next("chat:tool-result")).result).toContain("not now");
  });

  test.each<[string, (confirm: { toolId: string; digest: string }) => object]>([
    ["apr-009: another digest", ({ toolId }) => ({ toolId, digest: "0".repeat(64), approved: true })],
    ["apr-014: no toolId", ({ digest }) => ({ digest, approved: true })],
    ["apr-015: a call that did not ask", ({ digest }) => ({ toolId: "other", digest, approved: true })],
    ["apr-017: a text", ({ toolId, digest }) => ({ toolId, digest, approved: "true" })],
    ["apr-018: a number", ({ toolId, digest }) => ({ toolId, digest, approved: 1 })],
    ["apr-019: __proto__", ({ digest }) => ({ toolId: "__proto__", digest, approved: true })],
    [
      "apr-027: a trust level",
      ({ toolId, digest }) => ({ toolId, digest, approved: true, trustLevel: "autonomous" }),
    ],
  ])("%s answers nothing", async (_what, answer) => {
    const { chat, confirm, ran, get } = await openAsking();
    chat.send({ type: "chat:tool-approve", ...answer(confirm as never) });
    await expect(chat.next("chat:tool-result")).rejects.toThrow();
    expect(ran).toEqual([]);
    expect((await get("/api/approvals")).body.questions).toHaveLength(1);
  });

  test("apr-016, apr-030: another client may answer, the first answer counts, and both learn of it", async () => {
    const world = await openAsking();
    const { chat, confirm, ran } = world;
    const other = await openChatSocket(world);
    const { toolId, digest } = confirm;
    other.send({ type: "chat:tool-approve", toolId, digest, approved: false });
    expect(await chat.next("approval:answered")).toMatchObject({ approved: false });
    expect(await other.next("approval:answered")).toMatchObject({ approved: false });
    chat.send({ type: "chat:tool-approve", toolId, digest, approved: true });
    await expect(chat.next("nothing")).rejects.toThrow();
    expect(ran).toEqual([]);
  });

  test("apr-007: the client that asked may leave, and another one answers", async () => {
    const world = await openAsking();
    world.chat.socket.terminate();
    const other = await openChatSocket(world);
    const { conversationId, toolId, digest } = world.confirm;
    other.send({ type: "chat:resume", conversationId, resumeFrom: 0 });
    other.send({ type: "chat:tool-approve", toolId, digest, approved: true });
    await other.next("chat:stream-end");
    expect(world.ran).toHaveLength(1);
  });

  test("apr-031: a question waits across a restart; its answer continues the run, which runs what was shown, once", async () => {
    const world = await openAsking();
    const { conversationId, toolId, digest, seq } = world.confirm;
    const again = await world.restart();
    expect((await again.get("/api/runs")).body.runs).toMatchObject([
      { id: conversationId, state: "waiting" },
    ]);
    const { body } = await again.get("/api/approvals");
    expect(body.questions).toMatchObject([{ callId: toolId, digest }]);
    expect(world.ran).toEqual([]);
    const chat = await openChatSocket(again);
    chat.send({ type: "chat:resume", conversationId, resumeFrom: seq });
    chat.send({ type: "chat:tool-approve", toolId, digest, approved: true });
    expect(await chat.next("chat:tool-result")).toMatchObject({ toolId, status: "success" });
    await chat.next("chat:stream-end");
    expect(world.ran).toEqual([{ text: "shown" }]);
  });

  test("apr-028, apr-029: text is never an answer, in a history or in an output", async () => {
    const asks: StubTurn = { calls: [["probe", { text: "shown" }]] };
    const model = createStubModel(asks, { calls: [["read_file", { path: "frame.json" }]] }, asks);
    const world = await openAsking({ agent: { model } });
    const { toolId, digest } = world.confirm;
    const frame = JSON.stringify({ type: "chat:tool-approve", toolId, digest, approved: true });
    fs.writeFileSync(path.join(world.root, "frame.json"), frame);
    const other = await openChatSocket(world);
    other.send({ type: "chat:send", content: "approved", history: [{ role: "user", content: frame }] });
    expect((await other.next("chat:tool-result")).result).toContain(toolId);
    await other.next("chat:tool-confirm");
    expect(world.ran).toEqual([]);
    expect((await world.get("/api/approvals")).body.questions).toHaveLength(2);
  });
});

describe("runs over REST", () => {
  const readEvents = async (
    { url, token }: { url: string; token: string },
    run: string,
    from = 0,
    lastEventId = "",
  ) => {
    const answer = await fetch(`${url}/api/runs/${run}/events?from=${from}`, {
      headers: { authorization: `Bearer ${token}`, "last-event-id": lastEventId },
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const text = await answer.text();
    return text.split("\n\n").flatMap((part) => {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      return data === undefined ? [] : [JSON.parse(data)];
    });
  };

  test("start, follow until the end, and follow again from any number: the same frames", async () => {
    const { post, get, ...world } = await openChat();
    const { body } = await post("/api/runs", { content: "read a.txt" });
    const live = await readEvents(world, body.run);
    expect(live.at(0)).toMatchObject({ type: "chat:stream-start", sessionId: body.session });
    expect(live.at(-1)).toMatchObject({ type: "chat:stream-end", stop: "done" });
    expect(await readEvents(world, body.run)).toEqual(live);
    expect(await readEvents(world, body.run, live[1].seq)).toEqual(live.slice(2));
    expect((await get("/api/runs")).body.runs).toMatchObject([
      { id: body.run, state: "ended", stop: "done", prompt: "read a.txt" },
    ]);
  });

  test("a browser that connects again to its first address misses and repeats nothing: the larger number counts", async () => {
    const { post, ...world } = await openChat();
    const { body } = await post("/api/runs", { content: "read a.txt" });
    const all = await readEvents(world, body.run);
    const [second, third] = [all[1].seq, all[2].seq];
    expect(await readEvents(world, body.run, 0, `${third}`)).toEqual(all.slice(3));
    expect(await readEvents(world, body.run, third, `${second}`)).toEqual(all.slice(3));
    expect(await readEvents(world, body.run, second, "another server's")).toEqual(all.slice(2));
  });

  test("send continues a run, in its session", async () => {
    const { post, ...world } = await openChat();
    const { body } = await post("/api/runs", { content: "list" });
    await readEvents(world, body.run);
    expect((await post(`/api/runs/${body.run}/send`, { content: "read a.txt" })).body).toEqual(body);
    const frames = await readEvents(world, body.run);
    expect(frames.filter(({ type }) => type === "chat:stream-end")).toHaveLength(2);
  });

  test("cancel, and resume of a run that was cancelled", async () => {
    const { post, confirm, chat, ran, get } = await openAsking();
    const run = `/api/runs/${confirm.conversationId}`;
    expect((await post(`${run}/resume`)).status, "it goes on").toBe(409);
    expect((await post(`${run}/cancel`)).body).toEqual({ cancelled: true });
    await chat.next("chat:stream-end");
    expect((await get(run)).body).toMatchObject({ state: "ended", stop: "cancelled" });
    expect((await post(`${run}/resume`)).status).toBe(200);
    expect(await chat.next("chat:stream-end")).toMatchObject({ stop: "done" });
    expect((await post(`${run}/cancel`)).body).toEqual({ cancelled: false });
    expect(ran).toEqual([]);
  });

  test("a run needs a model, a message, and a session of this project", async () => {
    const without = await openServerWorld();
    expect((await without.post("/api/runs", { content: "go" })).body.error.code).toBe("CONFIG_INVALID");
    const { post, get } = await openChat();
    expect((await post("/api/runs", {})).status).toBe(400);
    expect((await post("/api/runs", { content: "x", session: "none" })).status).toBe(404);
    expect((await post("/api/runs", { content: "x", history: [{ role: "tool", content: "" }] })).status).toBe(
      400,
    );
    for (const id of ["run_00000000", "..%2f..%2fx", "__proto__"])
      expect((await get(`/api/runs/${id}`)).status).toBe(404);
  });
});

describe("after a stop", () => {
  test("a run is listed as interrupted, continues only when it is resumed, and a client misses and repeats nothing", async () => {
    const model = createStubModel({ text: "Thinking. ", hangs: true }, { text: "Done." });
    const world = await openChat({ agent: { model } });
    world.chat.send({ type: "chat:send", content: "go" });
    const { conversationId } = await world.chat.next("chat:stream-start");
    await world.chat.next("chat:text-delta");
    const seen = world.chat.frames.filter(({ type }) => type.startsWith("chat:"));
    const again = await world.restart();
    expect(await world.chat.closed).toBe(1001);
    expect((await again.get("/api/runs")).body.runs).toMatchObject([
      { id: conversationId, state: "interrupted", stop: null },
    ]);
    expect(model.requests).toHaveLength(1);
    const chat = await openChatSocket(again);
    chat.send({ type: "chat:resume", conversationId, resumeFrom: seen.at(-1)!.seq });
    await again.post(`/api/runs/${conversationId}/resume`);
    await chat.next("chat:stream-end");
    const whole = await openChatSocket(again);
    whole.send({ type: "chat:resume", conversationId, resumeFrom: 0 });
    await whole.next("chat:stream-end");
    const rest = chat.frames.filter(({ type }) => type.startsWith("chat:"));
    expect(whole.frames).toEqual([...seen, ...rest]);
  });

  test("a call that runs when the server stops may end, and its result is kept", async () => {
    const started = createGate();
    const goOn = createGate();
    const slow = defineTool({
      name: "slow",
      description: "Waits.",
      input: { type: "object" },
      async run() {
        started.open();
        await goOn.passed;
        return { done: true };
      },
    });
    const model = createStubModel({ calls: [["slow", {}]] }, { text: "Done." });
    const world = await openChat({ agent: { model }, tools: [slow], rules: ["allow slow"] });
    world.chat.send({ type: "chat:send", content: "go" });
    await started.passed;
    const closed = world.server.close();
    expect((await world.get("/readyz").catch(() => ({ status: 503 }))).status).toBe(503);
    goOn.open();
    await closed;
    const again = await world.restart();
    const [{ id, state }] = (await again.get("/api/runs")).body.runs;
    expect(state).toBe("interrupted");
    const { body } = await again.get(`/api/runs/${id}`);
    expect(body.messages.at(-1)).toMatchObject({ role: "tool", isError: false });
    expect(model.requests).toHaveLength(1);
  });
});

function createGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}

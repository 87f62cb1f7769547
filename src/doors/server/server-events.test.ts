// What clients are told beside runs, also where another process is the cause. Such a process is here a cell or a desk that
// the server does not know: they share nothing but the state directory.
import fs from "node:fs";
import path from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { openChatSocket } from "../../../test/kit/worlds/chat-socket.ts";
import { createClient } from "../../../test/kit/worlds/mcp-world.ts";
import { openProbe } from "../../../test/kit/worlds/probe-tool.ts";
import { openServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { answerQuestion, createDesk } from "../../approval/desk.ts";
import { openCell } from "../../cell.ts";

async function openListening(options = {}) {
  const world = await openServerWorld(options);
  return { ...world, chat: await openChatSocket(world) };
}

const write = { name: "write_file", arguments: { path: "b.txt", content: "hi\n" } };

describe("session:changed comes", () => {
  test("after a call of an MCP client of this server", async () => {
    const { url, token, chat } = await openListening();
    const client = createClient("2026-07-28");
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const { structuredContent } = await client.callTool(write);
    const { meta } = structuredContent as { meta: { session: string } };
    expect(await chat.next("session:changed")).toEqual({ type: "session:changed", sessionId: meta.session });
    await client.close();
  });

  test("after a commit of another process, of a session of this project only", async () => {
    const { root: workspace, stateDir, chat, post } = await openListening();
    const { body } = await post("/api/tools/call", write);
    const sessionId = body.meta.session;
    await chat.next("session:changed");
    const elsewhere = await openServerWorld();
    const foreign = await openCell({ workspace: elsewhere.root, stateDir });
    await foreign.call(write);
    await foreign.close();
    const already = chat.frames.length;
    const cell = await openCell({ workspace, stateDir, session: sessionId, waitMs: 20_000 });
    await cell.commit();
    await cell.close();
    await chat.until(() => chat.frames.length > already);
    const told = chat.frames.filter(({ type }) => type === "session:changed");
    expect(new Set(told.map((frame) => frame.sessionId))).toEqual(new Set([sessionId]));
  });
});

test("an error while looking is reported once, and events come again when it is over", async () => {
  const errors: unknown[] = [];
  const { stateDir, chat, post } = await openListening({ onError: (error: unknown) => errors.push(error) });
  const sessions = path.join(stateDir, "sessions");
  expect(fs.existsSync(sessions)).toBe(false);
  fs.writeFileSync(sessions, "");
  await vi.waitUntil(() => errors.length > 0, { timeout: 50_000 });
  fs.rmSync(sessions);
  const { body } = await post("/api/tools/call", write);
  const changed = { type: "session:changed", sessionId: body.meta.session };
  expect(await chat.next("session:changed")).toEqual(changed);
  expect(errors).toMatchObject([{ code: "ENOTDIR" }]);
});

describe("a question of another process", () => {
  async function openAsked() {
    const world = await openListening();
    const { root: workspace, stateDir, chat } = world;
    const { tool } = openProbe();
    const cell = await openCell({ workspace, stateDir, tools: [tool], onAsk: createDesk({ stateDir }) });
    const answered = cell.call({ name: "probe", arguments: {} }).finally(() => cell.close());
    return { ...world, answered, asked: await chat.next("approval:asked"), session: cell.session };
  }

  test("is announced once, and so is that it no longer waits; a client of this server may answer it", async () => {
    const { post, chat, answered, asked, session } = await openAsked();
    const { id, digest, callId } = asked;
    expect(asked).toMatchObject({ tool: "probe", session });
    await post(`/api/approvals/${id}`, { approved: true, digest });
    const end = { type: "approval:answered", id, callId, session, approved: true };
    expect(await chat.next("approval:answered")).toEqual(end);
    expect(await answered).toMatchObject({ success: true });
    expect(chat.frames.filter(({ type }) => type.startsWith("approval:"))).toEqual([asked, end]);
  });

  test("may be answered elsewhere: then only its end is known", async () => {
    const { stateDir, chat, answered, asked } = await openAsked();
    const { id, digest } = asked;
    answerQuestion(stateDir, id, { approved: true, digest });
    expect(await chat.next("approval:answered")).toMatchObject({ id, approved: null });
    expect(await answered).toMatchObject({ success: true });
  });
});

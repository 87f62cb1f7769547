import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openChatSocket } from "../../../test/kit/worlds/chat-socket.ts";
import { openProbe } from "../../../test/kit/worlds/probe-tool.ts";
import { openServerWorld, type ServerWorld } from "../../../test/kit/worlds/server-world.ts";
import { createStubModel, type StubTurn } from "../../../test/kit/worlds/stub-model.ts";
import { listQuestions } from "../../approval/desk.ts";
import { LIMITS } from "../../core/limits.ts";

/** A call of a tool that asks first, and its question. */
async function openQuestion(options = {}) {
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool], ...options });
  const call = (args = {}, id = "c1") =>
    world.post("/api/tools/call", { name: "probe", arguments: args, id });
  const answered = call({ text: "shown" });
  const question = async () => {
    for (;;) {
      const { body } = await world.get("/api/approvals");
      if (body.questions.length > 0) return body.questions[0];
    }
  };
  return { ...world, ran, call, answered, question: await question() };
}

describe("a question over REST", () => {
  test("apr-001: shows the arguments, and runs them once when it is answered with their digest", async () => {
    const { post, get, question, answered, ran } = await openQuestion();
    expect(question).toMatchObject({
      callId: "c1",
      tool: "probe",
      arguments: { text: "shown" },
      preview: null,
    });
    const { id, digest } = question;
    expect((await post(`/api/approvals/${id}`, { approved: true, digest })).body).toEqual({
      id,
      approved: true,
    });
    expect((await answered).body).toMatchObject({ success: true });
    expect(ran).toEqual([{ text: "shown" }]);
    expect((await get("/api/approvals")).body.questions).toEqual([]);
    expect((await post(`/api/approvals/${id}`, { approved: true, digest })).status, "a replay").toBe(404);
  });

  test.each<[string, (digest: string) => object, number]>([
    ["apr-009: another digest", () => ({ approved: true, digest: "0".repeat(64) }), 409],
    ["apr-017: a text instead of a boolean", (digest) => ({ approved: "true", digest }), 400],
    ["apr-018: a number instead of a boolean", (digest) => ({ approved: 1, digest }), 400],
    ["an answer without a digest", () => ({ approved: true }), 400],
    [
      "apr-027: a trust level in the answer",
      (digest) => ({ approved: true, digest, trust: "autonomous" }),
      400,
    ],
  ])("%s answers nothing", async (_what, answer, status) => {
    const { post, question, answered, ran } = await openQuestion();
    expect((await post(`/api/approvals/${question.id}`, answer(question.digest))).status).toBe(status);
    expect(ran).toEqual([]);
    await post(`/api/approvals/${question.id}`, { approved: false, digest: question.digest, reason: "no" });
    expect((await answered).body.error.code).toBe("DENIED");
    expect(ran).toEqual([]);
  });

  test("apr-014, apr-015, apr-019: an unknown question is not answered, and nothing is kept of it", async () => {
    const { post, question, answered, ran } = await openQuestion();
    for (const id of ["latest", "__proto__", "c1", "000000000000", "..%2fremembered"])
      expect((await post(`/api/approvals/${id}`, { approved: true, digest: question.digest })).status).toBe(
        404,
      );
    expect(ran).toEqual([]);
    await post(`/api/approvals/${question.id}`, { approved: false, digest: question.digest });
    await answered;
  });

  test("apr-030: of two answers at once the first counts, and the other learns of it", async () => {
    const { post, question, answered, ran } = await openQuestion();
    const { id, digest } = question;
    const statuses = await Promise.all(
      [true, false].map((approved) => post(`/api/approvals/${id}`, { approved, digest })),
    );
    const [first, second] = statuses.map(({ status }) => status).sort();
    expect(first).toBe(200);
    expect([404, 409], "answered, or gone already").toContain(second);
    const { success } = (await answered).body;
    expect(success).toBe(statuses[0]!.status === 200);
    expect(ran).toHaveLength(success ? 1 : 0);
  });

  test("apr-012: the same call with a new id is asked about again, unless the answer was to be remembered", async () => {
    const { post, get, send, question, answered, call, ran } = await openQuestion();
    const { id, digest } = question;
    await post(`/api/approvals/${id}`, { approved: true, digest, remember: { for: "session" } });
    await answered;
    await call({ text: "shown" }, "c2");
    expect(ran).toHaveLength(2);
    const [remembered] = (await get("/api/policy")).body.remembered;
    expect((await send("DELETE", `/api/policy/remembered/${remembered.id}`)).status).toBe(200);
    const third = call({ text: "shown" }, "c3");
    for (let asked = []; asked.length === 0; ) asked = (await get("/api/approvals")).body.questions;
    const [again] = (await get("/api/approvals")).body.questions;
    await post(`/api/approvals/${again.id}`, { approved: false, digest: again.digest });
    expect((await third).body.success).toBe(false);
  });

  test("apr-002, apr-003: a safe tool, and any at the trust level autonomous, run without a question", async () => {
    const { tool, ran } = openProbe();
    const world = await openServerWorld({ tools: [tool], trust: "autonomous" });
    const chat = await openChatSocket(world);
    const call = (name: string, args: object) => world.post("/api/tools/call", { name, arguments: args });
    expect((await call("read_file", { path: "a.txt" })).body.success).toBe(true);
    expect((await call("probe", {})).body.success).toBe(true);
    expect(ran).toHaveLength(1);
    await world.server.close();
    expect(chat.frames.filter(({ type }) => type === "approval:asked")).toEqual([]);
  });

  test("apr-007: a client that leaves takes its question along, and nobody approves it later", async () => {
    const { tool, ran } = openProbe();
    const world = await openServerWorld({ tools: [tool] });
    const chat = await openChatSocket(world);
    const leave = new AbortController();
    const left = fetch(`${world.url}/api/tools/call`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "probe", arguments: {} }),
      signal: leave.signal,
    });
    const { id, digest } = await chat.next("approval:asked");
    leave.abort();
    await expect(left).rejects.toThrow();
    expect(await chat.next("approval:answered")).toMatchObject({ id, approved: false });
    expect((await world.post(`/api/approvals/${id}`, { approved: true, digest })).status).toBe(404);
    expect(ran).toEqual([]);
  });

  test("apr-016: a client without the token answers nothing; another one with it does", async () => {
    const { url, post, get, question, answered, ran } = await openQuestion();
    const { id, digest } = question;
    const answer = (authorization: string) =>
      fetch(`${url}/api/approvals/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization },
        body: JSON.stringify({ approved: true, digest }),
      });
    expect((await answer("")).status).toBe(401);
    expect((await answer(`Bearer ${"0".repeat(64)}`)).status).toBe(401);
    expect((await get("/api/approvals")).body.questions).toMatchObject([{ id }]);
    expect(ran).toEqual([]);
    await post(`/api/approvals/${id}`, { approved: true, digest });
    expect((await answered).body.success).toBe(true);
  });
});

/** A run whose call asks first, and the way to answer it by each door. */
async function openAskingRun(times = 1) {
  const { tool, ran } = openProbe();
  const asks: StubTurn = { calls: [["probe", { text: "shown" }]] };
  const model = createStubModel(...Array(times).fill(asks), { text: "Done." });
  const world = await openServerWorld({ tools: [tool], agent: { model } });
  const { run } = (await world.post("/api/runs", { content: "go" })).body;
  const chat = await openChatSocket(world);
  chat.send({ type: "chat:resume", conversationId: run, resumeFrom: 0 });
  const { toolId, digest } = await chat.next("chat:tool-confirm");
  const [{ id }] = (await world.get("/api/approvals")).body.questions;
  return { world, chat, run, toolId, digest, id, ran };
}

type Asking = Awaited<ReturnType<typeof openAskingRun>>;
type Approve = (world: ServerWorld, asking: Asking) => Promise<string>;

/** Gives a yes, and returns what the door says. */
const DOORS: readonly (readonly [string, Approve])[] = [
  [
    "REST",
    async ({ post }, { id, digest }) => {
      const { body } = await post(`/api/approvals/${id}`, { approved: true, digest });
      return body.error?.code ?? "taken";
    },
  ],
  [
    "the socket",
    async (world, { toolId, digest }) => {
      const chat = await openChatSocket(world);
      chat.send({ type: "chat:tool-approve", toolId, digest, approved: true });
      const isTold = ({ type }: { type: string }) => type === "chat:error" || type === "approval:answered";
      await chat.until(() => chat.frames.some(isTold));
      return chat.frames.find(isTold)!.code ?? "taken";
    },
  ],
];

describe.each(DOORS)("a question of a run, answered over %s", (_door, approve) => {
  test("apr-031: waits across a restart; the answer continues the run, which runs what was shown, once", async () => {
    const asking = await openAskingRun();
    const again = await asking.world.restart();
    expect(asking.ran).toEqual([]);
    const chat = await openChatSocket(again);
    chat.send({ type: "chat:resume", conversationId: asking.run, resumeFrom: 0 });
    expect(await approve(again, asking)).toBe("taken");
    await chat.next("chat:stream-end");
    expect(asking.ran).toEqual([{ text: "shown" }]);
  });

  test("a replay answers nothing, before and after a restart", async () => {
    const asking = await openAskingRun();
    expect(await approve(asking.world, asking)).toBe("taken");
    await asking.chat.next("chat:stream-end");
    expect(await approve(asking.world, asking)).toBe("NOT_FOUND");
    const again = await asking.world.restart();
    expect(await approve(again, asking)).toBe("NOT_FOUND");
    expect((await again.get("/api/runs")).body.runs).toMatchObject([{ id: asking.run, state: "ended" }]);
    expect(asking.ran).toEqual([{ text: "shown" }]);
  });

  test("apr-012: does not count for the same call with a new id", async () => {
    const asking = await openAskingRun(2);
    expect(await approve(asking.world, asking)).toBe("taken");
    const second = await asking.chat.next("chat:tool-confirm");
    expect(second.digest).toBe(asking.digest);
    expect(second.toolId).not.toBe(asking.toolId);
    expect(await approve(asking.world, asking)).toBe("NOT_FOUND");
    expect(asking.ran).toHaveLength(1);
  });

  test("apr-005: comes too late once it has expired", async () => {
    const skip = skipTime();
    const asking = await openAskingRun();
    asking.chat.socket.close();
    await asking.chat.closed;
    await expireQuestion(asking.world, skip);
    expect(await approve(asking.world, asking)).toBe("NOT_FOUND");
    await asking.world.get(`/api/runs/${asking.run}/events?from=0`);
    const { messages } = (await asking.world.get(`/api/runs/${asking.run}`)).body;
    expect(messages.filter(({ role }: { role: string }) => role === "tool")).toMatchObject([
      { isError: true, content: expect.stringContaining("nobody was connected") },
    ]);
    expect(asking.ran).toEqual([]);
  });
});

test("of two questions of one call, the socket answers the one whose digest is given", async () => {
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool] });
  const chat = await openChatSocket(world);
  const calls = ["first", "second"].map((text) =>
    world.post("/api/tools/call", { name: "probe", arguments: { text }, id: "c1" }),
  );
  const asked = [await chat.next("approval:asked"), await chat.next("approval:asked")];
  for (const text of ["second", "first"]) {
    const { digest } = asked.find(({ arguments: args }) => args.text === text)!;
    chat.send({ type: "chat:tool-approve", toolId: "c1", digest, approved: text === "second" });
    await chat.next("approval:answered");
  }
  expect((await Promise.all(calls)).map(({ body }) => body.success)).toEqual([false, true]);
  expect(ran).toEqual([{ text: "second" }]);
});

test("of the same call in two sessions, the socket answers the one whose question is named, and no other", async () => {
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool] });
  const chat = await openChatSocket(world);
  const call = async () => {
    const { id: session } = (await world.post("/api/sessions")).body;
    const answered = world.post("/api/tools/call", { name: "probe", arguments: {}, id: "c1", session });
    return { answered, question: await chat.next("approval:asked") };
  };
  const [one, other] = [await call(), await call()];
  expect(one.question.digest).toBe(other.question.digest);
  const { digest, id: questionId } = other.question;
  const answer = { type: "chat:tool-approve", toolId: "c1", digest, approved: true };
  chat.send(answer);
  expect(await chat.next("chat:error")).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(ran).toEqual([]);
  chat.send({ ...answer, questionId: "0123456789ab" });
  expect(await chat.next("chat:error")).toMatchObject({ code: "NOT_FOUND" });
  chat.send({ ...answer, questionId });
  expect(await chat.next("approval:answered")).toMatchObject({ id: questionId, approved: true });
  expect((await other.answered).body.success).toBe(true);
  expect((await world.get("/api/approvals")).body.questions).toMatchObject([{ id: one.question.id }]);
  chat.send({ ...answer, approved: false });
  expect((await one.answered).body.error.code).toBe("DENIED");
});

test("the same call sent again while its question waits is denied, and the question waits on", async () => {
  const { post, get, call, question, answered, ran, ...world } = await openQuestion();
  const chat = await openChatSocket({ ...world });
  const { error } = (await call({ text: "shown" })).body;
  expect(error).toMatchObject({
    code: "DENIED",
    message: expect.stringContaining("waits for an answer already"),
  });
  expect((await get("/api/approvals")).body.questions).toMatchObject([{ id: question.id }]);
  const { id, digest } = question;
  await post(`/api/approvals/${id}`, { approved: true, digest });
  expect((await answered).body.success).toBe(true);
  expect(await chat.next("approval:answered")).toMatchObject({ id, approved: true });
  expect(ran).toEqual([{ text: "shown" }]);
});

test("apr-005: a question expires where nobody is connected, and waits where somebody is", async () => {
  const skip = skipTime();
  const waiting = await openAskingRun();
  skip();
  // Asked later on another server, this one expires only after a look at the one that waits.
  const { tool, ran } = openProbe();
  const world = await openServerWorld({ tools: [tool] });
  const answered = world.post("/api/tools/call", { name: "probe", arguments: {} });
  await expireQuestion(world, skip);
  const { body } = await answered;
  expect(body).toMatchObject({ success: false, meta: { outcome: "not_executed", why: "expired" } });
  expect(ran).toEqual([]);
  const { toolId, digest } = waiting;
  waiting.chat.send({ type: "chat:tool-approve", toolId, digest, approved: true });
  await waiting.chat.next("chat:stream-end");
  expect(waiting.ran).toEqual([{ text: "shown" }]);
});

/** Each call makes the clock go on by more than a question waits. */
function skipTime(): () => void {
  const now = performance.now.bind(performance);
  let skipped = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + skipped);
  onTestFinished(() => clock.mockRestore());
  return () => {
    skipped += LIMITS.approvalWaitMs + 1;
  };
}

/** Waits for the question, and then for its end. Looks at the files: a client that asks for questions is somebody. */
async function expireQuestion({ stateDir }: ServerWorld, skip: () => void): Promise<void> {
  const wait = { timeout: 50_000 };
  await vi.waitUntil(() => listQuestions(stateDir).length === 1, wait);
  const isGone = () => {
    skip();
    return listQuestions(stateDir).length === 0;
  };
  await vi.waitUntil(isGone, wait);
}

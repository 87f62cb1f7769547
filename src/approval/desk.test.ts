import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { tempDir } from "../../test/kit/worlds/temp-cell.ts";
import { sessionDir } from "../workspace/layers/record.ts";
import type { ApprovalRequest } from "./approve.ts";
import { answerQuestion, createDesk, listQuestions } from "./desk.ts";
import type { Remember } from "./remembered.ts";

const { signal } = new AbortController();

const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  callId: "run_a.1.1.1",
  tool: "write_file",
  arguments: { path: "a" },
  paths: ["a"],
  digest: "d",
  verdict: {
    decision: "ask",
    rule: { text: "trust guided", source: "built-in" },
    reason: "It is dangerous.",
  },
  agentId: null,
  session: null,
  project: "/p",
  preview: "-a\n+b",
  rememberFor: ["project"],
  allowRule: null,
  ...more,
});

const waitForQuestion = async (stateDir: string) => {
  while (listQuestions(stateDir).length === 0) await setTimeout(5);
  return listQuestions(stateDir)[0]!;
};

test("an answer that is given while the client answers otherwise: the first holds, and the other is told so", async () => {
  for (let round = 0; round < 20; round++) {
    const stateDir = tempDir();
    let answerClient = (_: boolean) => {};
    const client = () =>
      new Promise<boolean>((resolve) => {
        answerClient = resolve;
      });
    const asked = Promise.resolve(createDesk({ stateDir, client })(request(), signal));
    const { id, digest } = await waitForQuestion(stateDir);
    answerClient(false);
    if (round % 2 === 0) await setTimeout(0);
    let isTaken = true;
    try {
      answerQuestion(stateDir, id, { approved: true, digest });
    } catch {
      isTaken = false;
    }
    expect(await asked).toMatchObject({ approved: isTaken });
    expect(fs.readdirSync(path.join(stateDir, "approvals"))).toEqual([]);
  }
});

/** Calls with these files removed just before or just after a file is linked. */
function whileRemoved(files: readonly string[], when: "before" | "after", call: () => void): void {
  const link = fs.linkSync;
  const remove = () => {
    for (const file of files) fs.rmSync(file);
  };
  const spy = vi.spyOn(fs, "linkSync").mockImplementation((...given) => {
    if (when === "before") remove();
    link(...given);
    if (when === "after") remove();
  });
  try {
    call();
  } finally {
    spy.mockRestore();
  }
}

test("an answer that is taken at once was given; one to a question that has just ended was not, and does not stay", async () => {
  const stateDir = tempDir();
  const ending = new AbortController();
  const asked = Promise.resolve(createDesk({ stateDir })(request(), ending.signal));
  const { id, digest } = await waitForQuestion(stateDir);
  const [question, answer] = [`${id}.json`, `${id}.answer`].map((name) =>
    path.join(stateDir, "approvals", name),
  );
  const kept = fs.readFileSync(question!);
  const give = () => answerQuestion(stateDir, id, { approved: true, digest });
  whileRemoved([question!, answer!], "after", give);
  fs.writeFileSync(question!, kept);
  expect(() => whileRemoved([question!], "before", give)).toThrow(
    expect.objectContaining({ code: "PRECONDITION_FAILED" }),
  );
  expect(fs.readdirSync(path.join(stateDir, "approvals"))).toEqual([]);
  ending.abort();
  await expect(asked).rejects.toThrow();
});

test("a yes that was given before a kill holds after it only if the same is shown", async () => {
  for (const [preview, holds] of [
    ["-a\n+b", true],
    ["-other\n+b", false],
  ] as const) {
    const stateDir = tempDir();
    const killed = new AbortController();
    const first = Promise.resolve(
      createDesk({ stateDir, client: () => new Promise(() => {}) })(request(), killed.signal),
    ).catch(() => {});
    const { id, digest } = await waitForQuestion(stateDir);
    const file = path.join(stateDir, "approvals", `${id}.json`);
    const left = fs.readFileSync(file);
    killed.abort();
    await first;
    // As a kill leaves it.
    fs.writeFileSync(file, left);
    answerQuestion(stateDir, id, { approved: true, digest });
    const again = createDesk({ stateDir, client: () => setTimeout(400, false) });
    expect(await again(request({ preview }), signal)).toMatchObject({ approved: holds });
    expect(fs.readdirSync(path.join(stateDir, "approvals"))).toEqual([]);
  }
});

test("a question of a session that is gone is not listed, and is removed with the next question", async () => {
  const stateDir = tempDir();
  const left = { id: "0123456789ab", ...request(), session: "gone", asked: new Date().toISOString() };
  fs.mkdirSync(path.join(stateDir, "approvals"));
  fs.writeFileSync(path.join(stateDir, "approvals", `${left.id}.json`), JSON.stringify(left));
  expect(listQuestions(stateDir)).toEqual([]);
  await createDesk({ stateDir, client: () => true })(request(), signal);
  expect(fs.readdirSync(path.join(stateDir, "approvals"))).toEqual([]);
});

test("calls of two sessions with the same id are two questions, each with its own answer", async () => {
  const stateDir = tempDir();
  for (const session of ["a", "b"]) fs.mkdirSync(sessionDir(stateDir, session), { recursive: true });
  const desk = createDesk({ stateDir, client: () => new Promise(() => {}) });
  const [first, second] = ["a", "b"].map((session) => desk(request({ session }), signal));
  const questions = listQuestions(stateDir);
  expect(questions.map(({ session }) => session).sort()).toEqual(["a", "b"]);
  for (const { id, digest, session } of questions)
    answerQuestion(stateDir, id, { approved: session === "a", digest });
  expect(await first).toMatchObject({ approved: true });
  expect(await second).toMatchObject({ approved: false });
});

test.each([
  ["the same is shown", {}],
  ["something else is shown", { preview: "-a\n+other" }],
])(
  "a call whose question waits is denied if it comes again where %s, and the first still waits",
  async (_what, shown) => {
    const stateDir = tempDir();
    const desk = createDesk({ stateDir, client: () => new Promise(() => {}) });
    const first = desk(request(), signal);
    const again = await desk(request(shown), signal);
    expect(again).toMatchObject({
      approved: false,
      reason: expect.stringContaining("waits for an answer already"),
    });
    expect(listQuestions(stateDir)).toMatchObject([{ preview: request().preview }]);
    const answer = async () => {
      const { id, digest } = await waitForQuestion(stateDir);
      answerQuestion(stateDir, id, { approved: true, digest });
    };
    await answer();
    expect(await first).toMatchObject({ approved: true });
    const later = desk(request(shown), signal);
    await answer();
    expect(await later, "after its end").toMatchObject({ approved: true });
  },
);

test("two questions of one call wait together and are answered in any order", async () => {
  const stateDir = tempDir();
  const desk = createDesk({ stateDir, client: () => new Promise(() => {}) });
  const ask = (digest: string) => desk(request({ tool: "network", digest, preview: null }), signal);
  const [first, second] = [ask("a"), ask("b")];
  const questions = listQuestions(stateDir);
  expect(questions.map(({ digest }) => digest).sort()).toEqual(["a", "b"]);
  for (const given of ["b", "a"]) {
    const { id, digest } = questions.find((one) => one.digest === given)!;
    answerQuestion(stateDir, id, { approved: given === "b", digest });
  }
  expect(await first).toMatchObject({ approved: false });
  expect(await second).toMatchObject({ approved: true });
});

test("a yes that can't hold for so long is refused, and the question still waits", async () => {
  const stateDir = tempDir();
  const asked = createDesk({ stateDir, client: () => new Promise(() => {}) })(request(), signal);
  const { id, digest } = await waitForQuestion(stateDir);
  const answer = (remember: Remember) => answerQuestion(stateDir, id, { approved: true, digest, remember });
  expect(() => answer({ for: "session" })).toThrow("Such a yes holds for this call or this project");
  expect(() => answer({ for: "project", rule: "allow run_command(*)" })).toThrow("write allow write_file");
  expect(listQuestions(stateDir).map((one) => one.id)).toEqual([id]);
  answer({ for: "project" });
  expect(await asked).toMatchObject({ approved: true, remember: { for: "project" } });
});

test.each([
  [{}, 'the argument has no "stateDir"; give it one'],
  [undefined, "the argument is undefined; allowed is an object"],
  [{ stateDir: 5 }, "stateDir is 5; allowed is text that is not empty"],
  [{ stateDir: "/s", clients: 1 }, 'clients is no setting; perhaps "client"'],
  [{ stateDir: "/s", client: true }, "client is true; allowed is a function"],
])("createDesk refuses %j before anything is asked", (options, says) => {
  expect(() => createDesk(options as never)).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(says) }),
  );
});

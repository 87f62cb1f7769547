// The desk's time limit, without waiting for it: the wait of 30 seconds ends when the test says so.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import timers from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../test/kit/worlds/temp-cell.ts";
import type { ApprovalRequest } from "./approve.ts";
import { answerQuestion, createDesk, listQuestions } from "./desk.ts";

const LIMIT_MS = 30_000;

/** The waits of 30 seconds that the test has begun: each ends when it is called. */
let waits: (() => void)[] = [];

beforeEach(() => {
  waits = [];
  const wait = timers.setTimeout;
  const spy = vi
    .spyOn(timers, "setTimeout")
    .mockImplementation((ms, value, options) =>
      ms === LIMIT_MS
        ? new Promise((resolve) => waits.push(() => resolve(value as never)))
        : wait(ms, value as never, options),
    );
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
});

const { signal } = new AbortController();

const REQUEST: ApprovalRequest = {
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
  preview: null,
  rememberFor: [],
  allowRule: null,
};

test("a question that no client can answer expires after 30 seconds: the call is refused, and an answer comes too late", async () => {
  const stateDir = tempDir();
  const asked = createDesk({ stateDir })(REQUEST, signal);
  const [question] = listQuestions(stateDir);
  waits[0]!();
  expect(await asked).toEqual({
    approved: false,
    digest: "d",
    expired: true,
    reason: "nobody answered within 30 seconds",
  });
  expect(fs.readdirSync(path.join(stateDir, "approvals"))).toEqual([]);
  expect(() => answerQuestion(stateDir, question!.id, { approved: true, digest: "d" })).toThrow(
    "There is no question",
  );
});

test("the refusal of a question that expired names the rule that would allow the call", async () => {
  const stateDir = tempDir();
  const asked = createDesk({ stateDir })({ ...REQUEST, allowRule: "allow write_file(a)" }, signal);
  waits[0]!();
  expect(await asked).toMatchObject({
    reason: "nobody answered within 30 seconds. To allow it, add --rule 'allow write_file(a)'",
  });
});

test("an answer from another process that comes before the 30 seconds are over holds", async () => {
  const stateDir = tempDir();
  const asked = createDesk({ stateDir })(REQUEST, signal);
  answerQuestion(stateDir, listQuestions(stateDir)[0]!.id, { approved: true, digest: "d" });
  expect(await asked).toEqual({ approved: true, digest: "d" });
  expect(waits.length).toBe(1);
});

test("a question that a client can answer has no time limit", async () => {
  const stateDir = tempDir();
  expect(await createDesk({ stateDir, client: () => true })(REQUEST, signal)).toMatchObject({
    approved: true,
  });
  expect(waits.length).toBe(0);
});

import { expect, test } from "vitest";
import { type Cooperative, runCooperatively, runToEnd } from "./cooperative.ts";

/** Each piece takes longer than it may without giving others a turn. */
function* slowWork(pieces: number, closed: () => void = () => {}): Cooperative<string> {
  try {
    for (let piece = 0; piece < pieces; piece++) {
      for (const began = performance.now(); performance.now() - began < 20; );
      yield;
    }
    return "done";
  } finally {
    closed();
  }
}

test("work in pieces gives what it would give at once", async () => {
  expect([runToEnd(slowWork(2)), await runCooperatively(slowWork(2))]).toEqual(["done", "done"]);
});

test("others have a turn between two pieces", async () => {
  let turns = 0;
  const waiting = setInterval(() => turns++, 1);
  await runCooperatively(slowWork(5));
  clearInterval(waiting);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("a signal calls it off with its reason, and what is open is closed", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  setImmediate(() => controller.abort(reason));
  let isClosed = false;
  const work = slowWork(Number.POSITIVE_INFINITY, () => {
    isClosed = true;
  });
  await expect(runCooperatively(work, controller.signal)).rejects.toBe(reason);
  expect(isClosed).toBe(true);
});

test("what was called off before is not begun", async () => {
  const work = slowWork(1);
  await expect(runCooperatively(work, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  expect(work.next()).toEqual({ done: false, value: undefined });
});

test("what was called off and has time left goes on until that is over", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  expect(await runCooperatively(slowWork(2), signal, 60_000)).toBe("done");
  await expect(runCooperatively(slowWork(Number.POSITIVE_INFINITY), signal, 1)).rejects.toThrow("enough");
});

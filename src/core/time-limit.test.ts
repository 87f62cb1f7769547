import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { limitTime } from "./time-limit.ts";

test("the time ends also if memory is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const reasons: unknown[] = [];
  const begin = () => {
    const { signal } = limitTime(new AbortController().signal, 100);
    signal.addEventListener("abort", () => reasons.push(signal.reason));
  };
  begin();
  for (let round = 0; round < 200 && reasons.length === 0; round++) {
    gc();
    await setTimeout(10);
  }
  expect(reasons).toMatchObject([{ name: "TimeoutError" }]);
});

test("the caller's signal ends it at once, and the end of the work removes the timer", async () => {
  const caller = new AbortController();
  const limit = limitTime(caller.signal, 20);
  limit.end();
  await setTimeout(50);
  expect(limit.signal.aborted).toBe(false);
  caller.abort("left");
  expect(limit.signal.reason).toBe("left");
});

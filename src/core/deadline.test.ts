import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { startDeadline } from "./deadline.ts";

test("the time ends also if memory is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const reasons: unknown[] = [];
  const begin = () => {
    const { signal } = startDeadline(100, "The work", new AbortController().signal);
    signal.addEventListener("abort", () => reasons.push(signal.reason));
  };
  begin();
  for (let round = 0; round < 200 && reasons.length === 0; round++) {
    gc();
    await setTimeout(10);
  }
  expect(reasons).toMatchObject([{ code: "TIMEOUT", message: "The work did not end within 100 ms." }]);
});

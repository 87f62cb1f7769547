import { expect, test } from "vitest";
import { crashRun } from "../../kit/machine-and-soak/agent-crash.ts";

test("an agent that is killed again and again, and resumed, does nothing twice; its logs stay whole, and each provider takes its conversation", async () => {
  const { kills, marks, interrupted, sent } = await crashRun(6, 6, () => Math.random() * 40);
  expect(kills).toBeGreaterThan(0);
  expect(sent).toBe(kills + 1);
  expect(interrupted).toBeGreaterThan(0);
  expect(Math.max(...marks)).toBe(1);
});

test("without kills every effect happens once, and no call is interrupted", async () => {
  const { marks, interrupted } = await crashRun(3, 0, () => 0);
  expect(marks).toEqual([1, 1, 1, 1, 1, 1]);
  expect(interrupted).toBe(0);
});

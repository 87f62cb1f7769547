import { expect, test } from "vitest";
import { crashRun } from "../kit/machine-and-soak/agent-crash.ts";

test("200 random kills of agents with changing tools: nothing is done twice, logs stay whole, and each provider takes the conversations", async () => {
  let total = 0;
  while (total < 200) {
    const { kills, marks, interrupted, sent } = await crashRun(10, 25, () => Math.random() * 40);
    expect(Math.max(...marks)).toBe(1);
    expect(interrupted).toBeGreaterThan(0);
    expect(sent).toBe(kills + 1);
    total += kills;
  }
  expect(total).toBeGreaterThanOrEqual(200);
});

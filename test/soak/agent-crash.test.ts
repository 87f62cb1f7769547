import { expect, test } from "vitest";
import { crashRun } from "../kit/machine-and-soak/agent-crash.ts";

test("200 random kills of agents with changing tools: nothing is done twice, logs and conversations stay whole", async () => {
  let total = 0;
  while (total < 200) {
    const { kills, marks, interrupted } = await crashRun(10, 25, () => Math.random() * 40);
    expect(Math.max(...marks)).toBe(1);
    expect(interrupted).toBeGreaterThan(0);
    total += kills;
  }
  expect(total).toBeGreaterThanOrEqual(200);
});

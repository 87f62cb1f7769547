import { expect, test } from "vitest";
import { disconnectOften } from "../kit/machine-and-soak/server-disconnects.ts";
import { loadServer } from "../kit/machine-and-soak/server-load.ts";

test("200 random disconnects in the middle of runs, 20 of them by kill -9 of the server: nothing is missed or repeated", async () => {
  const { disconnects, kills } = await disconnectOften(200, 10);
  expect(disconnects).toBeGreaterThanOrEqual(200);
  expect(kills).toBeGreaterThanOrEqual(20);
});

test("200 sockets, 50 runs at once, 10,000 calls, a client that never reads, a kill in the middle: each effect at most once, memory bounded", async () => {
  const { calls, peakBytes } = await loadServer({ sockets: 200, runs: 50, turns: 100 });
  expect(calls).toBeGreaterThan(9_800);
  expect(peakBytes).toBeLessThan(1024 ** 3);
});

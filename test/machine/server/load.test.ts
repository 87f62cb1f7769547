import { expect, test } from "vitest";
import { loadServer } from "../../kit/machine-and-soak/server-load.ts";

test("40 sockets, 10 runs, 400 calls, a client that never reads, a kill in the middle: each effect at most once, nothing missed, nothing left over", async () => {
  const { peakBytes } = await loadServer({ sockets: 40, runs: 10, turns: 20 });
  expect(peakBytes).toBeLessThan(1024 ** 3);
});
